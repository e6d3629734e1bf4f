"""Ways to have other programs run a command."""

from __future__ import annotations

import base64
import re

from disguise import Disguise, Hidden, single


def _encoded(text: str) -> str:
    encoded = base64.b64encode(text.encode()).decode()
    return f"{encoded} | base64 -d"


def by_git(hider: Disguise, found: Hidden) -> Hidden:
    """git runs it."""
    text = found.text
    code, shown = hider.quoted(text), single(f"!{text}")
    name = hider.name("x")
    return Hidden(
        hider.pick(
            f"git -c alias.{name}={shown} {name}",
            f"git -c {single(f'alias.{name}=!{text}')} {name}",
            f"git -C . -c alias.{name}={shown} {name} y",
            f"git --config-env=alias.{name}=HOME {name}",
            f"git config alias.{name} {shown}",
            f"git submodule foreach {code}",
            f"git submodule --quiet foreach --recursive {code}",
            f"git bisect run sh -c {code}",
            f"git rebase -x {code} HEAD~1",
            f"git rebase --exec {code} HEAD~1",
            f"git rebase --exec={code} HEAD~1",
            f"git rebase -ix{code} HEAD~1",
            f"git -c core.pager={code} log",
            f"git -c core.editor={code} commit",
            f"git -c core.sshCommand={code} fetch",
            f"git -c diff.external={code} diff",
            f"git -c core.fsmonitor={code} status",
            f"git -c pager.log={code} log",
            f"git difftool -y -x {code}",
            f"git difftool --extcmd={code}",
            f"git filter-branch --tree-filter {code} HEAD",
            f"git filter-branch --env-filter={code} HEAD",
            f"git fetch --upload-pack {code} x",
            f"git clone -u {code} x y",
            f"git grep -O{code} x",
            f"git grep --open-files-in-pager={code} x",
            f"GIT_PAGER={code} git log",
            f"GIT_SSH_COMMAND={code} git fetch",
            f"GIT_EXTERNAL_DIFF={code} git diff",
            f"GIT_EDITOR={code} git commit",
            f"GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=alias.{name} GIT_CONFIG_VALUE_0={shown} "
            f"git {name}",
            f"export GIT_PAGER={code}; git log",
            f"PAGER={code} git log",
            f"EDITOR={code} git commit",
        )
    )


def by_program(hider: Disguise, found: Hidden) -> Hidden:
    """Another program runs it, told by an option or in a language of its own."""
    text = found.text
    code = hider.quoted(text)
    # Languages that know no lines get a shell that does.
    flat = f"bash -c {hider.quoted(text)}" if "\n" not in text else f"echo {_encoded(text)} | sh"
    quoted = re.sub(r'([\\"])', r"\\\1", flat)
    shell = " ".join(hider.shell_words(text))
    in_awk = single('BEGIN { system("' + quoted + '") }')
    return Hidden(
        hider.pick(
            f"find . -exec {shell} \\;",
            f"find . -name x -exec sh -c {code} {{}} +",
            f"find . -type f -execdir sh -c {code} \\; -print",
            f"fd -x {shell}",
            f"fd x --exec-batch {shell}",
            f"echo x | xargs {shell}",
            f"echo x | xargs -I{{}} sh -c {code}",
            f"ls | xargs -n1 -P2 {shell}",
            f"xargs -a list {shell}",
            f"env -S {single(shell)}" if "'" not in shell and "$" not in shell else f"env {shell}",
            f"awk {in_awk}",
            f"gawk {in_awk} x",
            f"awk {single('{ print | ' + chr(34) + quoted + chr(34) + ' }')} x",
            f"sed {single('1e ' + flat)} x",
            f"sed -e {single('s/x/y/e')} x",
            f"tar -cf x --checkpoint=1 --checkpoint-action=exec={code} y",
            f"tar cf x y --to-command {code}",
            f"tar -I {code} -cf x y",
            f"tar --use-compress-program={code} -xf x",
            f"sort --compress-program={code} x",
            f"split --filter={code} x",
            f"rg --pre {code} x",
            f"rg --pre={code} x",
            f"rsync -e {code} a b:c",
            f"rsync --rsh={code} a b:c",
            f"ssh -o ProxyCommand={code} h",
            f"ssh -oProxyCommand={code} h ls",
            f"ssh h {code}",
            f"vim -c {single('!' + flat)}",
            f"vim -es +{single('!' + flat)} x",
            f"make SHELL={code}",
            f"make -f - <<< {single('x:;' + flat)}",
            f"make --eval={single('x:;' + flat)} x",
            f"python3 -c {single('import os; os.system(' + repr(text) + ')')}",
            f"perl -e {single('system ' + repr(flat))}",
            f"ruby -e {single('`' + flat + '`')}",
            f"node -e {single('require(' + chr(34) + 'child_process' + chr(34) + ').execSync(1)')}",
            f"php -r {single('system(' + repr(flat) + ');')}",
            f"man -P {code} ls",
            f"script -qc {code} /dev/null",
            f"script -q -c {code}",
            f"flock lock -c {code}",
            f"flock -n lock --command {code}",
            f"su -c {code}",
            f"su dev -c {code}",
            f"su - dev --command={code}",
            f"watch {code}",
            f"watch -n1 -- {code}",
            f"parallel ::: {code}",
            f"parallel {code} ::: a",
            f"hyperfine {code}",
            f"hyperfine -w 1 --prepare {code} ls",
            f"entr -s {code}",
            f"echo {code} | at now",
            f"at now <<< {code}",
            f"echo {single('* * * * * ' + flat)} | crontab -",
            f"tmux new-session -d {code}",
            f"screen -dm {shell}",
            f"nix-shell --run {code}",
            f"nix-shell -p hello --command {code}",
            f"sg dev -c {code}",
            f"busybox sh -c {code}",
            f"npm exec -c {code}",
            f"npx -c {code}",
            f"expect -c {single('spawn ' + flat)}",
            f"gdb -batch -ex {single('shell ' + flat)}",
            f"zip x.zip y -T -TT {code}",
            f"less +{single('!' + flat)} x",
            f"ed x <<< {single('!' + flat)}",
            f"ed x <<< {single('e !' + flat)}",
            f"sqlite3 x {single('.shell ' + flat)}",
            "BASH_ENV=x bash -c :",
            f"socat - EXEC:{code}",
            f"nc -e {code} h 1",
            f"systemd-run --user {shell}",
            f"docker run -v /:/h x {shell}",
            f"nohup {shell} &",
            f"strace -o {single('|' + flat)} ls",
            f"dpkg -i --pre-invoke={code} x",
            f"apt-get -o APT::Update::Pre-Invoke::={code} update",
            f"PAGER={code} man ls",
            f"VISUAL={code} crontab -e",
            f"git log --format=x | {shell}",
            f"command -p {shell}",
            f"exec {shell}",
            f"exec -a x {shell}",
            f"pwsh -Command {code}",
            f"fish -c {code}",
            f"csh -c {code}",
            f"xonsh -c {code}",
        )
    )
