"""Lines as developers and models write them every day; the same seed, the same line."""

from __future__ import annotations

from collections.abc import Sequence

from harmless_words import Line, Words

INLINE = frozenset({"python -c", "python3 -c", "python - ", "node -e"})
REMOTE = frozenset({"network"})
KINDS: Sequence[str] = (
    *("git_reads", "git_reads", "git_writes", "git_heredoc", "looks", "looks", "searches"),
    *("searches", "transforms", "tests", "tests", "moves", "chains", "chains", "folders"),
    *("loops", "conditions", "variables", "scripts", "network"),
)


class Harmless(Words):
    """Makes harmless lines."""

    def line(self) -> Line:
        """One line of some kind."""
        name = self.random.choice(KINDS)
        text = getattr(self, f"_{name}")()
        return Line(text, name, name not in REMOTE and "npx " not in text)

    # Kinds of lines.

    def _git_reads(self) -> str:
        return (
            self.pick(
                *("git status", "git status --short", "git status -sb", "git diff", "git log -5"),
                *("git log --oneline -10", "git diff --stat", "git diff --cached", "git show HEAD"),
                *(
                    "git log --oneline --graph --all -20",
                    "git branch -a",
                    "git remote -v",
                    "git tag",
                ),
                *("git diff main...HEAD", "git diff HEAD~1 -- src/", "git show HEAD:src/app.py"),
                *("git log --format='%h %an %s' -10", 'git log --since="2 weeks ago" --oneline'),
                *("git blame -L 10,20 src/app.py", "git ls-files", "git rev-parse HEAD"),
                *("git stash list", "git --no-pager log -3", "git diff --name-only HEAD~3"),
                *("git log -p -- src/app.py", "git -C src status", "git config --get user.name"),
                *("git shortlog -sn", "git ls-files '*.py'", "git rev-list --count HEAD"),
                *(
                    "git --no-pager diff --no-color",
                    "git log -S'def main' --oneline",
                    "git describe",
                ),
                *("git rev-parse --abbrev-ref HEAD", "git cat-file -p HEAD", "git reflog -5"),
                f"git grep -n {self.pattern}",
                f"git diff {self.file}",
                f"git log --oneline -- {self.file}",
            )
            + self.cut
        )

    def _git_writes(self) -> str:
        return self.pick(
            f"git add {self.file}",
            f"git add -A && git commit -m {self.quoted}",
            f"git add {self.file} {self.file} && git commit -q -m {self.quoted}",
            f"git commit -am {self.quoted}",
            f"git commit -m {self.quoted} -m {self.quoted}",
            f"git checkout -b feature/{self.pick('x', 'add-api', 'fix-12')}",
            f"git add . && git commit -m {self.quoted} && git log -1 --stat",
            "git stash && git checkout main && git stash pop",
            "git commit --amend --no-edit",
            f"git checkout -- {self.file}",
            f"git restore --staged {self.file}",
            "git switch -c topic",
            "git merge --no-ff topic",
            "git rebase main",
            "git reset --soft HEAD~1",
            "git branch -d topic",
            f"git mv {self.file} docs/",
            f"git rm --cached {self.file}",
            "git tag v1.0.0",
            "git cherry-pick abc1234",
        )

    def _git_heredoc(self) -> str:
        coda = self.pick("", "\n\n- first point\n- second, with `code` and $5", "\n\nIt's (done).")
        end = self.pick(')"', ')" && git status', ')" 2>&1 | tail -3')
        add = self.pick("", f"git add {self.file} && ", "git add -A && ")
        return f"{add}git commit -m \"$(cat <<'EOF'\n{self.message}{coda}\nEOF\n{end}"

    def _looks(self) -> str:
        return (
            self.pick(
                *("ls", "ls -la", "ls -la src", "ls -1 tests", "pwd", "ls -lah --color=never"),
                *("tree -L 2", "du -sh src", "du -sh * | sort -h", "date", "date +%Y-%m-%d"),
                *("which python", "file src/app.py", "stat README.md", "uname -a", "whoami"),
                *("ls src tests docs", "ls -d */", "command -v node", "type pytest", "echo $PATH"),
                *("python --version", "node --version && npm --version", "go version", "df -h ."),
                f"cat {self.file}",
                f"cat -n {self.file}",
                f"head -50 {self.file}",
                f"tail -n +20 {self.file}",
                f"wc -l {self.globs}",
                f"cat {self.file} {self.file}",
                f"sed -n '10,40p' {self.file}",
                f"sed -n 1,80p {self.file}",
                f"nl -ba {self.file} | sed -n '5,25p'",
                f"diff {self.file} {self.file}",
                f"sha256sum {self.globs}",
                f"ls -la {self.folder}",
            )
            + self.cut
        )

    def _searches(self) -> str:
        return (
            self.pick(
                f"grep -rn {self.pattern} {self.folder}",
                f"grep -n {self.pattern} {self.file}",
                f"grep -rn --include='*.py' {self.pattern} {self.pick('src', 'src tests')}",
                f"grep -rnE {self.pattern} src tests",
                f"grep -c {self.pattern} {self.globs}",
                f"grep -l {self.pattern} {self.globs}",
                f"grep -A3 -B3 -n {self.pattern} {self.file}",
                f"rg {self.pattern}",
                f"rg -n {self.pattern} {self.folder}",
                f"rg -l {self.pattern} --type py",
                f"rg -g '*.ts' -n {self.pattern} src",
                f"rg --files {self.folder}",
                "find . -name '*.py' -not -path './node_modules/*'",
                f"find {self.folder} -type f -name '*.py'",
                f"find {self.folder} -type f -name {self.pick('README.md', 'test_*')}",
                "find . -type d -name __pycache__",
                "find src -name '*.py' | xargs wc -l",
                f"find src -name '*.py' -print0 | xargs -0 grep -n {self.pattern}",
                f"find src -name '*.py' -exec grep -l {self.pattern} {{}} +",
                "find src -type f -exec wc -l {} \\;",
                f"grep -rl {self.pattern} src | xargs sed -n '1,5p'",
                f"git ls-files | xargs grep -n {self.pattern}",
                f"grep -o {self.pattern} {self.file} | sort -u",
            )
            + self.cut
        )

    def _transforms(self) -> str:
        return (
            self.pick(
                "awk '{print $1}' data/rows.csv",
                "awk -F, '{ s += $2 } END { print s }' data/rows.csv",
                "awk 'NR>1 && $2 > 5 {print $1, $2}' data/rows.csv",
                "awk -F: '{print $NF}' data/rows.csv | sort | uniq -c",
                "jq . package.json",
                "jq -r '.scripts | keys[]' package.json",
                "jq '.items | length' data/items.json",
                "jq -r '.items[] | select(.id > 3) | .name' data/items.json",
                "cat data/items.json | jq '.items[0]'",
                "cut -d, -f1 data/rows.csv | sort | uniq -c | sort -rn",
                "sort -u data/rows.csv",
                "tr -d '\\r' < data/rows.csv",
                "tr '[:upper:]' '[:lower:]' < README.md",
                "sed 's/foo/bar/g' src/app.py",
                "sed -e 's/a/b/' -e '/^$/d' src/app.py",
                "column -t -s, data/rows.csv",
                "comm -12 <(sort data/rows.csv) <(sort README.md)",
                "diff <(git show HEAD:README.md) README.md",
                "paste -d, data/rows.csv data/rows.csv",
                "seq 1 10 | paste -sd+",
                'grep -oP \'"version": "\\K[^"]+\' package.json',
                "wc -l < README.md",
                'jq -r .name <<< \'{"name": "x"}\'',
            )
            + self.cut
        )

    def _tests(self) -> str:
        return (
            self.pick(
                *(
                    "pytest",
                    "pytest -x",
                    "pytest -q",
                    "pytest tests/test_app.py",
                    "pytest -v tests",
                ),
                *("pytest tests/test_app.py::test_it -xvs", 'pytest -k "test_it and not slow"'),
                *("python -m pytest -q --tb=short", "python -m unittest discover", "npm test"),
                *("npm run build", "npm run lint -- --fix", "npm test -- --watch=false", "make"),
                *("make test", "make -j4", "cargo test", "cargo build --release", "cargo check"),
                *("cargo clippy -- -D warnings", "go test ./...", "go vet ./...", "go build ./..."),
                *("go test -run TestFoo ./pkg/...", "ruff check .", "ruff check --fix src"),
                *("ruff format src tests", "mypy src", "npx tsc --noEmit", "npx eslint src"),
                *("npx prettier --check .", "tox -e py311", "uv run pytest", "python src/app.py"),
                *("python3 scripts/check.py --all", "node src/index.js", "bash scripts/build.sh"),
                *("./scripts/build.sh", "black --check src", "npx vitest run", "npx jest src"),
                *("timeout 60 pytest -x", "timeout 120s npm test", "CI=true npm test"),
                *("env CI=true npm test", "PYTHONPATH=src pytest -q", "NODE_ENV=test npx jest"),
                *("PYTHONPATH=src python -m pytest tests/", "time pytest -q", "env -u HOME pytest"),
                *("FORCE_COLOR=0 npm run build", "python -m mypy --strict src", "make clean all"),
                *("coverage run -m pytest", "python -m compileall src", "pnpm test", "yarn build"),
            )
            + self.cut
        )

    def _moves(self) -> str:
        return self.pick(
            f"mkdir -p {self.pick('build', 'src/new/deep', 'tests/data')}",
            f"mkdir -p build && cp {self.file} build/",
            f"cp {self.file} {self.file}.bak",
            f"mv {self.file} docs/old.md",
            "touch src/__init__.py tests/__init__.py",
            "mkdir -p src/{models,views}/{a,b} && touch src/{models,views}/__init__.py",
            "cp -r src build/src && ls -la build",
            "echo 'x = 1' > src/new.py",
            "echo 'more' >> README.md",
            "printf '%s\\n' a b c > data/list.txt",
            "cat > src/new.py <<'EOF'\nimport os\n\n\ndef main():\n    print(f\"{os.name}\")\nEOF",
            "cat <<EOF > docs/new.md\n# Title\n\nText & more (here).\nEOF",
            f"cat {self.file} | tee build.log | head",
            f"sed -i 's/foo/bar/g' {self.file}",
            f"sed -i '' -e 's/a/b/' {self.file}",
            "chmod +x scripts/build.sh && ./scripts/build.sh",
            "ln -sf app.py src/main.py",
            "tar -czf build/src.tar.gz src",
            "git show HEAD:README.md > build/old.md",
            "jq '.version = \"2\"' package.json > build/p.json && mv build/p.json package.json",
            "test -d build || mkdir build",
            f"[ -f {self.file} ] && cat {self.file}",
            "[[ -d src ]] && ls src || echo missing",
        )

    def _chains(self) -> str:
        parts = [
            self.pick(
                *("git status --short", "ls -la", "pwd", "git log --oneline -3", "git diff --stat"),
                *("pytest -q 2>&1 | tail -3", "npm test 2>&1 | tail -20", "make test", "echo done"),
                *(
                    "echo '---'",
                    'echo "=== tests ==="',
                    "ruff check .",
                    "git branch",
                    "wc -l src/*.py",
                ),
                f"cat {self.file}",
                f"grep -n {self.pattern} {self.file}",
                f"cd {self.pick('src', 'tests', 'docs')}",
            )
            for _ in range(self.random.randint(2, 4))
        ]
        return self.pick(" && ", "; ", " && ", " ; ", "\n").join(parts)

    def _folders(self) -> str:
        return self.pick(
            "cd src && ls -la",
            "cd src && python -m pytest -q",
            "cd src/api && grep -n route *.py && cd ..",
            "(cd src && ls)",
            "cd tests && pytest -x 2>&1 | tail -20",
            "cd docs; ls; cd -",
            "pushd src && make && popd",
            'cd "$(git rev-parse --show-toplevel)" && git status',
            "cd src && cat ../README.md | head -3",
            "cd ./src && rg TODO | wc -l",
            "cd src && npm run build && cd .. && npm test",
            "pushd src > /dev/null; ls; popd > /dev/null",
        )

    def _loops(self) -> str:
        do = self.pick(
            *('wc -l "$f"', 'echo "$f"', 'head -3 "$f"', 'echo "== $f"; cat "$f"', "wc -l $f"),
            *('grep -n TODO "$f"', 'git log -1 --format=%cd -- "$f"', 'basename "$f" .py'),
            *(
                'echo "$(basename "$f")"',
                'python "$f"',
                '[ -s "$f" ] && echo "$f"',
                "echo ${f%.py}",
            ),
        )
        return self.pick(
            f"for f in {self.globs}; do {do}; done",
            f"for f in {self.globs}\ndo\n  {do}\ndone",
            f"for f in $(git ls-files '*.py'); do {do}; done",
            f"for f in $(find src -name '*.py'); do {do}; done | sort",
            "for i in 1 2 3; do pytest -q; done",
            "for i in $(seq 1 5); do echo $i; sleep 1; done",
            'for i in {1..5}; do echo "run $i"; pytest -x -q || break; done',
            "for ((i = 0; i < 3; i++)); do echo $i; done",
            f"git ls-files | while read -r f; do {do}; done",
            f"while read -r f; do {do}; done < data/rows.csv",
            'while IFS=, read -r a b; do echo "$a: $b"; done < data/rows.csv',
            f"find src -name '*.py' -print0 | while IFS= read -r -d '' f; do {do}; done",
            "until pytest -q; do sleep 1; done",
            "i=0; while [ $i -lt 3 ]; do echo $i; i=$((i+1)); done",
            "for d in src tests; do (cd $d && ls | wc -l); done",
            f'for f in {self.globs}; do if grep -q TODO "$f"; then echo "$f"; fi; done',
        )

    def _conditions(self) -> str:
        return self.pick(
            f"if [ -f {self.file} ]; then cat {self.file}; else echo missing; fi",
            f"if grep -q {self.pattern} {self.file}; then echo yes; fi",
            "if ! git diff --quiet; then git status --short; fi",
            "if [[ $(git rev-parse --abbrev-ref HEAD) == main ]]; then echo on main; fi",
            '[ -n "$(git status --porcelain)" ] && echo dirty || echo clean',
            "test -f package.json && jq -r .name package.json",
            'case "$(uname)" in Linux) echo linux;; Darwin) echo mac;; *) echo other;; esac',
            "command -v rg >/dev/null 2>&1 && rg TODO || grep -rn TODO src",
            "if pytest -q > out.log 2>&1; then echo pass; else tail -20 out.log; fi",
            "[[ -d node_modules ]] || echo 'no node_modules'",
            "git diff --quiet && echo clean",
        )

    def _variables(self) -> str:
        return self.pick(
            'branch=$(git rev-parse --abbrev-ref HEAD); echo "on $branch"',
            'ROOT=$(git rev-parse --show-toplevel) && ls "$ROOT"',
            'n=$(wc -l < README.md); echo "$n lines"',
            f'F={self.file}; wc -l "$F" && head -3 "$F"',
            "export PYTHONPATH=src && pytest -q",
            "export CI=1; npm test",
            "DIR=src; ls $DIR; grep -rn TODO $DIR",
            'files=$(git diff --name-only); echo "$files" | wc -l',
            'echo "today is $(date +%F), in $(pwd)"',
            "set -e; pytest -q; ruff check .",
            "set -euo pipefail\npytest -q\necho ok",
            "start=$(date +%s); pytest -q; echo $(( $(date +%s) - start ))s",
            'VERSION=$(jq -r .version package.json); git tag "v$VERSION"',
            'echo "exit: $?"',
            'pytest -q; echo "exit code: $?"',
            "pytest -q && echo PASS || echo FAIL",
            "echo $((2 + 3))",
            'name=app; echo "${name}_test" ${name^^} ${name:-x}',
            'echo "$HOME" $USER ${SHELL}',
        )

    def _scripts(self) -> str:
        return self.pick(
            "# Show the state of the tree\ngit status --short\n\n# and the last commits\n"
            "git log --oneline -5",
            'set -e\nmkdir -p build\ncp src/*.py build/\nls -la build | head\necho "done"',
            "echo '=== status ==='\ngit status\necho '=== diff ==='\ngit diff | head -50",
            'check() {\n  grep -n "$1" src/*.py\n}\ncheck TODO\ncheck FIXME',
            'for f in src/*.py; do\n  # only those with a TODO\n  if grep -q TODO "$f"; then\n'
            '    echo "$f: $(grep -c TODO "$f")"\n  fi\ndone',
            "cd src\nls\ncat app.py | head -20  # the top of it\ncd ..",
            "pytest -x \\\n  --tb=short \\\n  tests/test_app.py 2>&1 | tail -40",
            'git add src/app.py \\\n    tests/test_app.py && \\\n  git commit -m "Add app"',
            "{ echo '# Report'; git log --oneline -3; } > docs/report.md",
            "cat <<'EOF'\nsome text with $dollar and `ticks`\nEOF",
            "cat <<'EOF' | wc -l\nit's a line\nEOF",
            "python - <<'EOF'\nimport json\nprint(json.load(open('package.json')))\nEOF",
            "python -c 'import sys; print(sys.version)'",
            "python3 -c \"import json; print(json.load(open('package.json'))['name'])\"",
            "node -e 'console.log(process.version)'",
            "pytest -q &\nwait",
            "(pytest -q; ruff check .) 2>&1 | tail -20",
            "time (pytest -q > /dev/null 2>&1)",
        )

    def _network(self) -> str:
        return self.pick(
            *("npm install", "npm ci", "uv sync", "git fetch origin", "git pull --rebase"),
            *("git push -u origin HEAD", "npm install --save-dev vitest", "cargo add serde"),
            *("go mod tidy", "git push", "git fetch --all --prune", "pnpm install"),
        )
