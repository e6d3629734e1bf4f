"""Programs that change the system, or reach beyond the project in another way."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from turnloop_shell.programs.options import Role, Spec, Subcommands
from turnloop_shell.programs.tables_making import NETWORK, UNKNOWN, alike, group, spec

_BEYOND = spec(effect=UNKNOWN, operands=Role.TEXT, lenient=True)
_SYSTEMD = spec(
    "alqr",
    "user system all full no-pager quiet plain no-legend failed recursive",
    text="t type state p property output o lines n",
)

SPECS: Mapping[str, Spec | Subcommands] = MappingProxyType(
    {
        **alike(
            "service launchctl mount umount useradd userdel usermod groupadd groupdel groupmod "
            "passwd chpasswd chsh chfn visudo update-rc.d update-alternatives shutdown reboot "
            "halt poweroff init telinit fdisk parted mkswap swapon swapoff losetup modprobe insmod "
            "rmmod sysctl iptables ip6tables nft ufw firewall-cmd ip ifconfig route brctl "
            "ldconfig timedatectl hostnamectl localectl loginctl renice ionice-set "
            "defaults networksetup scutil diskutil pmset spctl csrutil security codesign "
            "wall write logger eject systemd-tmpfiles setenforce semanage apparmor_parser",
            _BEYOND,
        ),
        **alike(
            "mkfs mkfs.ext4 mkfs.xfs mke2fs fsck wipefs",
            spec(effect=UNKNOWN, operands=Role.WRITE, lenient=True),
        ),
        **alike("open xdg-open pbcopy pbpaste xclip xsel osascript-open notify-send", _BEYOND),
        "systemctl": group(
            _SYSTEMD,
            reads="status show is-active is-enabled is-failed list-units list-unit-files "
            "list-timers list-sockets list-dependencies cat get-default",
            unknown="start stop restart reload enable disable mask unmask kill daemon-reload "
            "set-property isolate edit poweroff reboot suspend set-default revert "
            "import-environment",
        ),
        **alike(
            "apt apt-get aptitude",
            group(
                spec(
                    "yqsdmf",
                    "yes assume-yes quiet no-install-recommends simulate "
                    "installed upgradable all-versions names-only full manual-installed",
                    refused="o option c config-file",
                ),
                network="install remove purge update upgrade full-upgrade dist-upgrade autoremove "
                "reinstall source build-dep download clean autoclean satisfy edit-sources",
                reads="list show search policy showsrc depends rdepends moo",
            ),
        ),
        "apt-cache": group(
            None,
            reads="search show showpkg policy depends rdepends madison stats "
            "pkgnames dump unmet showsrc",
        ),
        "dpkg": spec(
            "ED",
            "force-all",
            refused="pre-invoke post-invoke status-logger",
            effect=UNKNOWN,
            operands=Role.READ,
            cases={
                "l L s S list listfiles status search get-selections print-architecture p "
                "print-avail": spec(
                    "lLsSp",
                    "list listfiles status search get-selections print-architecture print-avail",
                    operands=Role.TEXT,
                ),
                "c I contents info": spec("cI", "contents info"),
            },
        ),
        "dpkg-query": spec(
            "lLsSWp", "list listfiles status search show", text="f showformat", operands=Role.TEXT
        ),
        "rpm": spec(
            effect=UNKNOWN,
            operands=Role.READ,
            lenient=True,
            refused="E eval D define pipe rcfile macros",
        ),
        **alike(
            "dnf yum microdnf zypper",
            group(
                spec("yq", "assumeyes quiet"),
                network="install remove update upgrade search info "
                "list clean makecache groupinstall reinstall downgrade autoremove repolist "
                "provides "
                "history check-update module in rm up dup se ref refresh",
            ),
        ),
        "pacman": spec(effect=NETWORK, operands=Role.READ, lenient=True),
        **alike(
            "yay paru apk snap flatpak nix-env guix port emerge choco winget scoop mas",
            spec(effect=NETWORK, operands=Role.READ, lenient=True),
        ),
        "brew": group(
            spec("vqd", "verbose quiet debug"),
            {
                "list": spec(
                    "1lrt", "formula cask versions full-name pinned multiple", operands=Role.TEXT
                ),
                "config": spec(),
                "--prefix": spec(operands=Role.TEXT),
                "leaves": spec("rp", "installed-on-request"),
            },
            network="install uninstall remove update upgrade reinstall search info tap untap "
            "cleanup fetch doctor outdated services bundle link unlink create edit audit deps "
            "uses home pin unpin autoremove",
            unknown="sh ruby irb",
            aliases="ls=list rm=uninstall instal=install",
        ),
    }
)
