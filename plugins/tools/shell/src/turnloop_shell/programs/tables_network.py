"""Programs that talk to other machines."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from turnloop_shell.programs.options import Role, Spec, Subcommands
from turnloop_shell.programs.tables_making import NETWORK, alike, changed, group, spec

_CURL = spec(
    "#0123456aBfgGiIjJklLMnNOpqRsSvVZ:",
    "fail location silent show-error insecure head include verbose compressed get globoff "
    "parallel progress-bar remote-header-name remote-time http1.1 http2 ipv4 ipv6 fail-with-body "
    "next no-buffer no-progress-meter location-trusted tcp-nodelay ssl-reqd path-as-is "
    "create-dirs retry-connrefused retry-all-errors anyauth basic digest ntlm negotiate disable",
    text="A user-agent C continue-at e referer m max-time P ftp-port Q quote r range t "
    "telnet-option u user U proxy-user x proxy X request y speed-time Y speed-limit z time-cond "
    "connect-timeout retry retry-delay retry-max-time resolve connect-to interface limit-rate "
    "max-redirs max-filesize url-query proto proto-default noproxy oauth2-bearer aws-sigv4 ciphers "
    "tls-max socks5 socks5-hostname dns-servers",
    read="T upload-file E cert key cacert capath netrc-file K config b cookie proxy-cert proxy-key "
    "unix-socket crlfile egd-file random-file",
    at="d data data-ascii data-binary data-urlencode F form H header json w write-out "
    "proxy-header url",
    output="o output D dump-header stderr trace trace-ascii libcurl etag-save",
    write="c cookie-jar alt-svc hsts",
    write_deep="output-dir",
    operands=Role.TEXT,
    effect=NETWORK,
    cases={},
)
_WGET = spec(
    "bdqvhFcNSxrpkKmHLEnVj46",
    "background debug quiet verbose no-verbose force-html continue timestamping server-response "
    "spider no-check-certificate no-clobber recursive page-requisites convert-links "
    "backup-converted "
    "mirror span-hosts relative no-parent adjust-extension content-disposition "
    "trust-server-names no-directories force-directories no-host-directories no-cache no-cookies "
    "no-proxy inet4-only inet6-only show-progress delete-after random-wait no-config",
    text="t tries T timeout w wait Q quota l level A accept R reject D domains U user-agent "
    "header user password http-user http-password method body-data post-data limit-rate waitretry "
    "progress referer cut-dirs exclude-directories include-directories X I restrict-file-names "
    "default-page B base dns-timeout connect-timeout read-timeout bind-address max-redirect "
    "report-speed compression secure-protocol",
    read="config load-cookies certificate private-key ca-certificate ca-directory post-file "
    "body-file crl-file",
    list="i input-file",
    output="O output-document o output-file a append-output",
    write="save-cookies warc-file rejected-log hsts-file",
    write_deep="P directory-prefix",
    program="use-askpass",
    refused="e execute",
    operands=Role.SAVED,
    effect=NETWORK,
)
_SSH_LIKE = spec(
    "346ABCOpqRrTvafN",
    text="c cipher J l limit P port X s",
    read="i",
    program="S D",
    # ProxyCommand, LocalCommand and their kind run programs.
    refused="o b F",
    operands=Role.READ_DEEP,
    last=Role.WRITE_DEEP,
    remote=True,
    effect=NETWORK,
    shortened=False,
)
_ASKS = spec(effect=NETWORK, operands=Role.TEXT, lenient=True)
_HTTPIE = spec(
    "jfvbhdcS4",
    "json form verbose body headers download continue ignore-stdin offline follow check-status",
    text="a auth p print A auth-type s style timeout verify session proxy pretty",
    write="o output session-read-only",
    operands=Role.AT,
    effect=NETWORK,
    lenient=True,
)
_CLOUD = spec(effect=NETWORK, operands=Role.TEXT, lenient=True)

SPECS: Mapping[str, Spec | Subcommands] = MappingProxyType(
    {
        "curl": changed(
            _CURL,
            cases={"O remote-name remote-name-all": changed(_CURL, operands=Role.SAVED)},
            long="remote-name remote-name-all",
        ),
        "wget": changed(
            _WGET,
            cases={
                "O output-document spider": changed(_WGET, operands=Role.TEXT),
                "r m recursive mirror p page-requisites": changed(
                    _WGET, operands=Role.TEXT, minimum=99, default=Role.WRITE_DEEP
                ),
            },
        ),
        **alike(
            "aria2c axel yt-dlp youtube-dl lftp ftp",
            changed(_ASKS, default=Role.WRITE_DEEP, minimum=99),
        ),
        **alike("http https httpie xh xhs", _HTTPIE),
        **alike("scp sftp", _SSH_LIKE),
        **alike(
            "ping ping6 traceroute tracepath mtr dig nslookup host whois nmap arp getent drill",
            _ASKS,
        ),
        **alike(
            "aws gcloud gsutil az doctl flyctl fly heroku vercel netlify wrangler firebase "
            "supabase sentry-cli ngrok stripe glab hub s3cmd twine",
            _CLOUD,
        ),
        "gh": group(
            spec(text="R repo"),
            {
                "alias": group(None, {"list": spec()}, unknown="set delete import"),
                "extension": group(
                    None,
                    {"exec": spec(effect=NETWORK, first=Role.REFUSED)},
                    network="install upgrade list remove search create browse",
                ),
                "config": group(None, reads="get list", unknown="set clear-cache"),
                "auth": group(
                    None, reads="status", network="login logout refresh token setup-git switch"
                ),
                "completion": spec(text="s shell"),
                "version": spec(),
                "help": spec(operands=Role.TEXT),
            },
            network="api pr issue repo run workflow release gist browse cache codespace label org "
            "project search secret ssh-key gpg-key status variable attestation ruleset",
        ),
        **alike(
            "terraform tofu",
            group(
                spec("", "", write_deep="chdir", single_dash=True),
                {
                    "fmt": spec(
                        "",
                        "check diff recursive",
                        text="list? write?",
                        single_dash=True,
                        operands=Role.CHANGE_DEEP,
                        minimum=1,
                        default=Role.CHANGE_DEEP,
                    ),
                    "validate": spec("", "json no-color no-tests", single_dash=True),
                    "version": spec("", "json", single_dash=True),
                },
                network="init plan apply destroy import refresh output show state workspace login "
                "logout get graph providers test taint untaint console force-unlock metadata",
            ),
        ),
        "helm": group(
            spec("", "debug", text="n namespace kube-context", read="kubeconfig"),
            {
                "lint": spec(
                    "", "strict quiet", text="set", read="f values", operands=Role.READ_DEEP
                ),
                "version": spec("", "short"),
            },
            network="install upgrade uninstall rollback list status get history repo pull push "
            "search dependency template test registry show package plugin",
        ),
    }
)
