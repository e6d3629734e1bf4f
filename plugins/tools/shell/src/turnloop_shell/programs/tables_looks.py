"""Programs that tell of files and of the system."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from turnloop_shell.programs.options import Role, Spec, Subcommands
from turnloop_shell.programs.tables_making import (
    UNKNOWN,
    alike,
    spec,
)

# Their names are shown, not what is in them: nothing below a folder is read.
_LS = spec(
    "aAbBcCdDfFgGhHiklLmnNopqQrRsStuUvxXZ1O@eW",
    "all almost-all author escape ignore-backups directory dired full-time group-directories-first "
    "no-group human-readable si dereference-command-line file-type "
    "dereference-command-line-symlink-to-dir inode kibibytes dereference numeric-uid-gid literal "
    "hide-control-chars show-control-chars quote-name reverse recursive size context zero",
    text="I T w ignore hide block-size format indicator-style quoting-style sort tabsize time "
    "time-style width classify? color? hyperlink?",
    minimum=1,
    default=Role.READ,
)
_TREE = spec(
    "adflxiqNQpugshDFvtcUrACSnXJ",
    "noreport prune gitignore matchdirs metafirst ignore-case inodes device dirsfirst filesfirst "
    "du si nolinks info compress",
    text="L P I H T charset filelimit timefmt sort? hintro houtro opt-toggle",
    read="gitfile infofile",
    list="fromfile",
    write="o output",
    operands=Role.READ,
    minimum=1,
    default=Role.READ,
    # It starts itself in folders below, and writes `00Tree.html` there.
    cases={"R": spec(operands=Role.CHANGE_DEEP, minimum=1, default=Role.CHANGE_DEEP)},
)
_PRINTS = spec(operands=Role.TEXT)


SPECS: Mapping[str, Spec | Subcommands] = MappingProxyType(
    {
        **alike("ls gls dir vdir", _LS),
        **alike(
            "exa eza lsd",
            spec(
                "1laAdfFGhHiLrRSTtuUxbBgmnN@Z",
                "oneline long grid across recurse tree all almost-all list-dirs "
                "only-dirs only-files reverse group-directories-first git-ignore binary bytes "
                "group header inode links blocks blocksize numeric modified accessed created "
                "changed git no-git no-permissions no-filesize no-user no-time extended "
                "no-icons hyperlink color-scale",
                text="level s sort I ignore-glob w width time time-style color colour icons? "
                "classify? depth",
                operands=Role.READ,
                minimum=1,
                default=Role.READ,
            ),
        ),
        "tree": _TREE,
        "basename": spec("az", "multiple zero", text="s suffix", operands=Role.TEXT),
        "dirname": spec("z", "zero", operands=Role.TEXT),
        "realpath": spec(
            "eEmLPqsz",
            "canonicalize canonicalize-existing canonicalize-missing logical physical quiet strip "
            "no-symlinks zero",
            read="relative-to relative-base",
        ),
        "readlink": spec(
            "femnqsvz",
            "canonicalize canonicalize-existing canonicalize-missing no-newline quiet silent "
            "verbose zero",
        ),
        "pwd": spec("LP", "logical physical", operands=Role.TEXT),
        "pathchk": spec("pP", "portability", operands=Role.TEXT),
        "date": spec(
            "uRjn",
            "utc universal rfc-email debug resolution",
            text="d date I? iso-8601? rfc-3339 v z",
            read="r reference f file",
            changes="s set",
            # Without `+` in front an operand is the time that is set.
            operands=Role.CHANGES,
        ),
        **alike(
            "cal ncal",
            spec(
                "13jsyYShbMeJoNpwC",
                "one three sunday monday julian twelve year week",
                text="A B d H m n months reform color? column",
                operands=Role.TEXT,
            ),
        ),
        "file": spec(
            "bciLhkNnprsSvzZ0EdDIl",
            "brief mime mime-type mime-encoding apple extension keep-going dereference "
            "no-dereference no-buffer no-pad raw print0 uncompress uncompress-noreport "
            "preserve-date special-files no-sandbox debug checking-printout exclude-quiet list",
            text="e exclude F separator P parameter",
            read="m magic-file",
            list="f files-from",
            changes="C! compile!",
        ),
        "stat": spec("LftxlrsqnF", "dereference file-system terse", text="c format printf cached"),
        "du": spec(
            "0aAbcDhHklLmPsSxgnr",
            "all apparent-size bytes count-links dereference dereference-args human-readable "
            "inodes no-dereference null one-file-system separate-dirs si summarize total",
            text="B d t I block-size max-depth threshold exclude time? time-style",
            read="X exclude-from",
            list="files0-from",
            operands=Role.READ,
            minimum=1,
            default=Role.READ,
        ),
        **alike("dust duf ncdu", spec(effect=UNKNOWN, operands=Role.READ)),
        "df": spec(
            "ahHiklmPTvgcnY",
            "all human-readable si inodes local no-sync sync portability print-type total",
            text="B t x block-size type exclude-type output?",
        ),
        "lsblk": spec("abdfiJlmnOpPrsStz", lenient=True, text="o output", operands=Role.TEXT),
        **alike("nproc", spec("", "all", text="ignore", operands=Role.TEXT)),
        "uname": spec(
            "asnrvmpio",
            "all kernel-name nodename kernel-release kernel-version machine processor "
            "hardware-platform operating-system",
            operands=Role.TEXT,
        ),
        **alike("whoami arch tty logname hostid", spec("s", "silent quiet", operands=Role.TEXT)),
        "id": spec("aGgnruzZpFP", "group groups name real user zero context", operands=Role.TEXT),
        **alike("groups printenv", spec("0", "null", operands=Role.TEXT)),
        "hostname": spec(
            "aAdfiIsy",
            "alias all-fqdns domain fqdn long ip-address all-ip-addresses short yp nis",
            changes="b boot F file",
            operands=Role.CHANGES,
        ),
        "which": spec("as", "all read-alias skip-alias tty-only", operands=Role.TEXT),
        "whereis": spec("bmsuglBMSf", "", operands=Role.TEXT, stops=True),
        "locale": spec(
            "acmkv", "all-locales category-name charmaps keyword-name verbose", operands=Role.TEXT
        ),
        "uptime": spec(lenient=True),
        "free": spec(
            "bkmghwltv",
            "bytes kilo mega giga tera human si wide lohi total kibi mebi gibi",
            text="c count s seconds",
            lenient=True,
            operands=Role.TEXT,
        ),
        **alike(
            "w who users",
            spec(
                "abdHlmpqrstTuwhifoV",
                "all boot count heading users lookup",
                lenient=True,
                operands=Role.TEXT,
            ),
        ),
        "ps": spec(
            "aAcdeEfFhHjlLmMnNrSTvVwxXyZ",
            "deselect forest headers no-headers cumulative context info",
            text="C g G o O p q s t u U format pid ppid sort user User group Group tty sid "
            "cols columns rows lines width k quick-pid",
            lenient=True,
            operands=Role.TEXT,
        ),
        "pgrep": spec(
            "acflLnovwxAi",
            "list-name list-full newest oldest inverse exact full count ignore-case lightweight "
            "list-ancestors quiet",
            text="d delimiter g G O P s t u U r parent session terminal euid uid group runstates "
            "older ns nslist signal env cgroup",
            read="F pidfile",
            lenient=True,
            operands=Role.TEXT,
        ),
        "pstree": spec(
            "aAcCghHlnNpsStTuUvZ",
            "arguments compact show-pids show-pgids long",
            lenient=True,
            operands=Role.TEXT,
        ),
        "lsof": spec(effect=UNKNOWN, operands=Role.TEXT, lenient=True),
        "vmstat": spec(
            "adDfmnstwy",
            "active disk forks slabs one-header stats disk-sum timestamp wide",
            text="p partition S unit",
            lenient=True,
            operands=Role.TEXT,
        ),
        "lscpu": spec(
            "aJhxyBC",
            "all json online offline",
            text="e? p? extended? parse?",
            lenient=True,
            operands=Role.TEXT,
        ),
        "lsb_release": spec(
            "vidrcas", "all short id description release codename", operands=Role.TEXT
        ),
        "sw_vers": _PRINTS,
        "getconf": spec("av", "", operands=Role.TEXT),
        "sleep": _PRINTS,
        "tput": _PRINTS,
        "sync": spec(effect=UNKNOWN),
        **alike("top htop btop iotop dmesg journalctl", spec(effect=UNKNOWN, operands=Role.TEXT)),
    }
)
