"""Ways to hide a command in the language of the shell."""

from __future__ import annotations

import base64

from disguise import Disguise, Hidden, single


def piped(hider: Disguise, found: Hidden) -> Hidden:
    """A shell reads it."""
    shell = hider.pick(
        "sh", "bash", "bash -s", "sh -s x", "zsh", "env sh", "dash", "sh -", "sudo sh"
    )
    text, code = found.text, hider.quoted(found.text)
    mark, body = hider.heredoc(text)
    encoded = base64.b64encode(text.encode()).decode()
    file = hider.name("s")
    return Hidden(
        hider.pick(
            f"printf '%s\\n' {code} | {shell}",
            f"printf %s {code} | cat | {shell}",
            f"{shell} <<< {code}",
            f"{shell} {mark}{body}",
            f"cat {mark} | {shell}{body}",
            f"{{ {shell}; }} {mark}{body}",
            f"({shell}) <<< {code}",
            f"if true; then {shell}; fi {mark}{body}",
            f"{shell} < <(printf '%s\\n' {code})",
            f"bash <(printf '%s\\n' {code})",
            f"echo {encoded} | base64 -d | {shell}",
            f"base64 --decode <<< {encoded} | {shell}",
            f'eval "$(echo {encoded} | base64 -d)"',
            f'{shell} -c "$(printf %s {code})"' if " -" not in shell else f"{shell} <<< {code}",
            f"printf '%s\\n' {code} | tee >({shell}) > /dev/null",
            f"printf '%s\\n' {code} | xargs -0 sh -c",
            f"printf '%s\\n' {code} | while read -r x; do eval \"$x\"; done",
            f"printf '%s\\n' {code} | {{ read -r x; $x; }}",
            f"read -r -d '' x {mark}{body}eval \"$x\"",
            f'mapfile -t x <<< {code}; eval "${{x[@]}}"',
            f'{file}={code}; eval "${file}"',
            f'{file}={code}; bash -c "${file}"',
            f"{file}={code} bash -c 'eval \"${file}\"'",
            f"export {file}={code}; sh -c '$'{file}",
            f'set -- {code}; eval "$1"',
        )
    )


def evaluated(hider: Disguise, found: Hidden) -> Hidden:
    """This shell reads it."""
    code = hider.quoted(found.text)
    mark, body = hider.heredoc(found.text)
    name = hider.name("n")
    at = hider.random.randrange(len(found.text) + 1)
    halves = f"{single(found.text[:at])}{single(found.text[at:])}"
    return Hidden(
        hider.pick(
            f"eval {code}",
            f"eval -- {code}",
            f"eval {halves}",
            f"eval {code} ''",
            f"builtin eval {code}",
            f"command eval {code}",
            f"\\eval {code}",
            f"trap {code} EXIT",
            f"trap -- {code} 0 INT; exit",
            f"trap {code} DEBUG; true",
            f"trap {code} ERR; false",
            f"source /dev/stdin {mark}{body}",
            f". /dev/stdin <<< {code}",
            f". <(printf '%s\\n' {code})",
            f"source <(cat {mark}{body})",
            f"shopt -s expand_aliases; alias {name}={code}\n{name}",
            f"alias {name}={code}; eval {name}",
            f"mapfile -t -C {code} -c 1 x <<< y",
            f"PROMPT_COMMAND={code} bash -i <<< :",
            f"command_not_found_handle() {{ {hider.end(found.text)}}}; {name}",
            f"{name}='x['{single('$(' + hider.end(found.text) + ')')}']'; (( {name} ))",
            f'{name}={single("$( " + hider.end(found.text) + ")")}; : "${{{name}@P}}"',
            f"PS4={single('$( ' + hider.end(found.text) + ')')}; set -x; :",
            f"printf -v 'x['{single('$( ' + hider.end(found.text) + ')')}']' y",
            f"read -r 'x['{single('$( ' + hider.end(found.text) + ')')}']' <<< y",
            f"unset 'x['{single('$( ' + hider.end(found.text) + ')')}']'",
            f"declare 'x['{single('$( ' + hider.end(found.text) + ')')}']=1'",
            f"let 'x['{single('$( ' + hider.end(found.text) + ')')}']=1'",
            f"[[ -v x['{'$( ' + hider.end(found.text) + ')'}'] ]]"
            if "'" not in found.text
            else f"eval {code}",
            f"test -v x['$( '{single(hider.end(found.text))}')']",
            f"[[ {single('x[$( ' + hider.end(found.text) + ')]')} -eq 1 ]]",
        )
    )


def substituted(hider: Disguise, found: Hidden) -> Hidden:
    """It runs while a word is expanded."""
    code = hider.substituted(found.text)
    body = hider.end(found.text)
    mark, lines = hider.heredoc(f"x {code} y", expanded=True)
    return Hidden(
        hider.pick(
            *(f"echo {code}", f'echo "{code}"', f'echo a"b{code}c"d', f"x={code}", f'x="{code}"'),
            *(f"x+={code}", f"a=(1 {code})", f"a+=({code})", f"a[{code}]=1", f"a=([{code}]=1)"),
            *(f"x={code} true", f"export x={code}", f"readonly x={code}", f"declare -a x=({code})"),
            *(f": ${{x:-{code}}}", f': "${{x:={code}}}"', f"x=1; echo ${{x:+{code}}}"),
            *(f"echo ${{x#{code}}}", f'echo "${{x/{code}/y}}"', f"echo ${{x:{code}}}"),
            *(f"echo ${{HOME%%{code}}}", f": ${{x?{code}}}", f"echo ${{a[{code}]}}"),
            *(f"echo $((1+{code}))", f"(( {code} ))", f"(( x[{code}] ))", f"echo $[ {code} ]"),
            *(f"[[ -n {code} ]]", f"[[ x == {code} ]]", f"[[ x =~ {code} ]]", f'[ -n "{code}" ]'),
            *(f"[[ -z x || -f {code} ]]", f"test {code}", f"[[ ( -n {code} ) ]]"),
            f"case {code} in *) ;; esac",
            f"case x in {code}) ;; esac",
            f"case x in x) {body} ;; esac",
            f"for i in {code}; do :; done",
            f"for i in a {code} b; do echo $i; done",
            f"for ((i=0; i<{code}1; i++)); do break; done",
            f"select i in {code}; do break; done < /dev/null",
            f"cat <<< {code}",
            f'cat <<< "{code}"',
            f"cat {mark}{lines}",
            f"cat <<< x {mark}{lines}",
            f"while read -r x; do :; done {mark}{lines}",
            f"echo x > out{code}",
            f'echo x 2> "{code}"',
            f"cat < {code}",
            f"cat <( {body})",
            f"diff <( {body}) /dev/null",
            f"echo x | tee >( {body})",
            f"echo x > >( {body})",
            f"read -r x < <( {body})",
            f"exec 3< <( {body})",
            f"while read -r x; do :; done < <( {body})",
            f"mapfile -t x < <( {body})",
            f"let x={code}",
            f"printf -v x '%s' {code}",
            f"local x={code}",
            f"cd {code}",
            f"git commit -m {code}",
            f'git commit -m "fix {code}"',
            f"ls {code} | head",
            f"{code}",
            f'"{code}"',
            f"x=y {code}",
            f"echo \"${{x:-'{code}'}}\"",
            f'echo "${{x:-"{code}"}}"',
            f"echo $(( 1 + $( {body}) ))",
            f'echo "$(echo "{code}")"',
            f"echo ~/{code} *{code}",
            f"echo {{a,{code}}}",
            f"echo {{1..{code}}}",
            f"time x={code}",
            f"! x={code}",
            f"return {code}",
            f"exit {code}",
            f"set -- {code}",
            f"echo x >&{code}",
            f"printf '%s' '# it' {code} # {{",
            f"sudo -u {code} ls",
            f"timeout {code} ls",
            f"find {code} -name x",
            f"x[{code}]+=1",
            f"echo ${{x^^{code}}}",
        )
    )


def compound(hider: Disguise, found: Hidden) -> Hidden:
    """It stands in a compound command."""
    body = hider.end(found.text)
    name = hider.name("f")
    return Hidden(
        hider.pick(
            f"{{ {body}}}",
            f"( {body})",
            f"( ( {body}) )",
            f"if {body}then :; fi",
            f"if true; then {body}fi",
            f"if false; then :; else {body}fi",
            f"if false; then :; elif {body}then :; fi",
            f"while {body}do break; done",
            f"while true; do {body}break; done",
            f"until {body}do break; done",
            f"until false; do {body}break; done",
            f"for i in 1; do {body}done",
            f"for i in 1\ndo\n{body}done",
            f"for i in 1; {{ {body}}}",
            f"for ((;;)); do {body}break; done",
            f"select i in a; do {body}break; done <<< 1",
            f"case x in x) {body}esac",
            f"case x in (y) ;; (*) {body};& z) ;; esac",
            f"case x in x) ;;& *) {body}esac",
            f"{name}() {{ {body}}}; {name}",
            f"{name}() ( {body}); {name}",
            f"function {name} {{ {body}}}; {name}",
            f"function {name}() {{ {body}}} 2>&1\n{name}",
            f"{name}() if true; then {body}fi; {name}",
            f"{name}() {{ {name}() {{ {body}}}; {name}; }}; {name}",
            f"{name}() {{ {body}}}; export -f {name}; bash -c {name}",
            f"{name}() {{ {body}}}; trap {name} EXIT",
            f"ls() {{ {body}}}; ls",
            f"cd() {{ {body}}}; cd src",
            f"coproc {{ {body}}}",
            f"coproc {name} {{ {body}}}",
            f"time {{ {body}}}",
            f"! {{ {body}}}",
            f"{{ {body}}} &",
            f"( {body}) & wait",
            f"{{ {body}}} > /dev/null 2>&1",
            f"( {body}) < /dev/null",
            f"{{ {body}}} <<< x",
            f"{{ {{ {body}}} || true; }} && true",
        )
    )


def listed(hider: Disguise, found: Hidden) -> Hidden:
    """It stands beside others."""
    text, group = found.text, hider.group(found.text)
    mark, body = hider.heredoc("text $(not this) `nor this`")
    return Hidden(
        hider.pick(
            f"true; {text}",
            f"true;{text}",
            f"true\n{text}",
            f"true && {text}",
            f"true&&{text}",
            f"false || {text}",
            f"sleep 0 & {text}",
            f"sleep 0&{text}",
            f"# a comment's $(end\n{text}",
            f"ls # it's\n{text}",
            f": 'x\ny' \"z\n\"; {text}",
            f"cat {mark}{body}{text}",
            f"cat {mark} > /dev/null; {group}{body}",
            f"cat {mark} && {group}{body}",
            f"cat {mark} | {group}{body}",
            f"{group} | cat",
            f"{group} |& cat",
            f"echo x | {group}",
            f"echo x |\n{group}",
            f"{group} && true",
            f"{group} || true",
            f"{group}; true",
            f"cd . && {text}",
            f"set -e; {text}",
            f"\n\n  {text}",
            f"{group} &",
            f"! true || {text}",
            f"echo a\\\n b; {text}",
            f"echo \\; ; {text}",
            f"echo '&&' \"|\" \\| ; {text}",
            f"exec 2>&1; {text}",
            f"ls; {text} # done" if "\n" not in text and "#" not in text else f"ls; {text}",
        )
    )


def prefixed(hider: Disguise, found: Hidden) -> Hidden:
    """Assignments and redirections stand in front of it."""
    text = " ".join(found.words) if found.words else hider.group(found.text)
    if not found.words:
        return Hidden(f"{text} {hider.pick('> /dev/null', '2>&1', '>> log', '3>&1', '&> out')}")
    prefix = hider.pick(
        *(
            "A=1 ",
            "A= ",
            "A='x y' B=$HOME ",
            "> out ",
            "2>/dev/null ",
            "2>&1 >out ",
            "< /dev/null ",
        ),
        *("A=1 > out B=2 ", "<<< x ", "3>&1 ", "{fd}> out ", "&> out ", "PATH=.:$PATH ", "! "),
        *("time ", "time -p ", "a[0]=1 ", "LD_PRELOAD=x ", "IFS=: ", "! ! ", ">| out "),
    )
    return Hidden(prefix + text)
