"""Settings in layers, later ones win.

    plugin defaults < user < project < local project < TURNLOOP_* < flags

Read in two steps, since what plugins bring is known only after the settings have said which of
them are wanted: `read_layers` reads, `Layers.plugin_switches` says which, `Layers.resolve` checks
and lays the layers over each other.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from turnloop_core.config.check import INCOMPLETE, Issue, check, core_issues, in_words, unknown_key
from turnloop_core.config.layer import PROJECT_LAYERS, Folded, Ignored, Layer, Origin, fold
from turnloop_core.config.loaded import Loaded, RuleSource, settings_error
from turnloop_core.config.models import CORE_KEYS, Settings
from turnloop_core.config.needs_trust import ADDS
from turnloop_core.config.paths import KeyPath
from turnloop_core.config.root import FOLDER, ProjectRoot, find_root
from turnloop_core.config.sources import core_layer, environment_layer, file_layer, flag_layer
from turnloop_core.config.trust import Pending, Trust, hear
from turnloop_core.errors import ClashError
from turnloop_core.nearest import best
from turnloop_core.values import dataclass

__all__ = ["Ignored", "Layers", "Loaded", "Origin", "RuleSource", "read_layers", "settings_paths"]

Sections = Mapping[str, Any]


def settings_paths(root: Path, home: Path) -> Mapping[str, Path]:
    """The files of the layers `user`, `project` and `local`; the home folder is no project."""
    user, project = home.resolve() / FOLDER, root / FOLDER
    paths = {"user": user / "settings.json"}
    if project.resolve() != user.resolve():
        paths["project"] = project / "settings.json"
        paths["local"] = project / "settings.local.json"
    return paths


def read_layers(
    cwd: Path,
    home: Path,
    environment: Mapping[str, str],
    flags: Mapping[str, Any] | None = None,
) -> Layers:
    """Read what files, environment and command line say. Nothing is checked beyond syntax.

    Args:
        cwd: the working directory.
        home: the user's home.
        environment: the variables of this process.
        flags: setting, dotted -> value; None where the flag was not given.

    Raises:
        SettingsError: a file cannot be read or is no JSON object; names file, line and column.
    """
    root = find_root(cwd, home)
    layers: list[Layer] = []
    notes: list[Ignored] = []
    for name, path in settings_paths(root.path, home).items():
        layer, blanks = file_layer(name, path)  # type: ignore[arg-type]  # the keys are layers
        layers += [layer] if layer else []
        notes += blanks
    variables, unset = environment_layer(environment)
    return Layers(root, (*layers, variables, flag_layer(flags or {})), (*notes, *unset))


@dataclass(frozen=True, slots=True)
class Layers:
    """What was read, before anything is checked.

    Attributes:
        root: the project root.
        layers: from the user's file up, weakest first.
        notes: what was read and does not count.
    """

    root: ProjectRoot
    layers: tuple[Layer, ...]
    notes: tuple[Ignored, ...] = ()

    def plugin_switches(
        self, trusted: bool | Trust = False
    ) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The names of plugins that are switched off, and of those that are required.

        Args:
            trusted: what the user said about the project: its files have a say in this only as
                far as that was approved. True approves everything.

        Raises:
            SettingsError: they are not lists of names.
        """
        only = [
            replace(x, data={k: x.data[k] for k in x.data if k == "plugins"}) for x in self.layers
        ]
        heard, _ = _hear(only, Trust.of(trusted))
        for layer in heard:
            _check_switches(layer)
        plugins = fold(heard).data.get("plugins", {})
        return tuple(plugins.get("disabled", ())), tuple(plugins.get("required", ()))

    def resolve(
        self,
        defaults: Sequence[tuple[str, Mapping[str, Any]]],
        sections: Sections,
        trusted: bool | Trust,
        switched_off: Collection[str] = (),
    ) -> Loaded:
        """Check every layer by itself, then lay them over each other.

        Args:
            defaults: pairs of plugin and the settings that it brings.
            sections: name of a plugin's section -> its type; None when it is to be checked later,
                by `Loaded.section`.
            trusted: what the user said about the project; True approves everything in it.
            switched_off: plugins that are there and were not loaded: a section that nobody knows
                may be one of theirs, and is noted instead of being an error.

        Raises:
            SettingsError: a value does not fit, or a key is unknown; names file, line and key.
            ClashError: a plugin's section has the name of a setting of core.
        """
        for name in sections:
            if name in CORE_KEYS:
                raise ClashError(f"a plugin's section is called {name!r}, as a setting of core is")
        from turnloop_core.config.defaults import default_layers

        brought, notes = default_layers(defaults)
        own = [_check_layer(layer, sections, bool(switched_off)) for layer in self.layers]
        layers = [core_layer(), *brought, *(replace(layer, adds=ADDS) for layer, _ in own)]
        trust = Trust.of(trusted)
        heard, pending = _hear(layers, trust)
        folded = fold(heard)
        return Loaded(
            settings=_settings(folded, sections),
            raw=folded.data,
            places=folded.origins,
            pending=pending,
            notes=(*self.notes, *notes, *(note for _, unheard in own for note in unheard)),
            root=self.root,
            trust=trust,
            layers=tuple(heard),
        )


def _check_switches(layer: Layer) -> None:
    """Without pydantic: this is asked before any plugin, for `tl --help` too."""
    plugins = layer.data.get("plugins", {})
    if not isinstance(plugins, Mapping):
        raise _wrong(layer, ("plugins",), "an object { ... }", plugins)
    for key in ("disabled", "required"):
        names = plugins.get(key, [])
        if not isinstance(names, list):
            raise _wrong(layer, ("plugins", key), "a list", names)
        for index, name in enumerate(names):
            if not isinstance(name, str):
                raise _wrong(layer, ("plugins", key, index), "a text", name)


def _wrong(layer: Layer, path: KeyPath, expected: str, value: Any) -> Exception:
    issue = Issue(path, f"expected {expected}, found {in_words(value)}")
    return settings_error([(issue, layer.origin(path))])


def _check_layer(
    layer: Layer, sections: Sections, lenient: bool
) -> tuple[Layer, tuple[Ignored, ...]]:
    """The layer without sections of plugins that are switched off, and those sections."""
    wrong = core_issues(layer.data)
    unheard: list[str] = []
    for key in layer.data:
        if key in sections:
            wrong += _check_part(sections[key], layer.data[key], key)
        elif key not in CORE_KEYS:
            known = sorted({*CORE_KEYS, *sections})
            if lenient and isinstance(layer.data[key], Mapping) and not best(key, known):
                unheard.append(key)
            else:
                wrong.append(unknown_key((key,), known))
    if wrong:
        raise settings_error([(issue, layer.origin(issue.path)) for issue in wrong])
    if not unheard:
        return layer, ()
    kept = {key: value for key, value in layer.data.items() if key not in unheard}
    origins = [(key, layer.origin((key,))) for key in unheard]
    why = "no plugin that is switched on knows this section"
    notes = tuple(Ignored(key, origin.file, origin.line, why) for key, origin in origins)
    return replace(layer, data=kept), notes


def _check_part(cls: Any, data: Any, key: str) -> tuple[Issue, ...]:
    """What is wrong with one layer's part of a section, whatever the other layers bring."""
    if cls is None:
        return ()
    _, issues = check(cls, data, (key,))
    return () if any(issue.kind in INCOMPLETE for issue in issues) else issues


def _hear(layers: Sequence[Layer], trust: Trust) -> tuple[list[Layer], tuple[Pending, ...]]:
    """The layers as far as they count, and what does not."""
    heard: list[Layer] = []
    pending: list[Pending] = []
    for layer in layers:
        if trust.everything or layer.name not in PROJECT_LAYERS:
            heard.append(layer)
        else:
            counts, unheard = hear(layer, fold(heard), trust)
            heard.append(counts)
            pending += unheard
    return heard, tuple(pending)


def _settings(folded: Folded, sections: Sections) -> Settings:
    settings, issues = check(Settings, {key: folded.data[key] for key in CORE_KEYS})
    objects: dict[str, Any] = {}
    wrong = list(issues)
    for name, cls in sections.items():
        if cls is None:
            continue
        value, found = check(cls, folded.data.get(name, {}), (name,))
        if not found:
            objects[name] = value
        elif name in folded.data:
            wrong += found
    if wrong:
        at = Loaded(
            Settings(), folded.data, folded.origins, (), (), ProjectRoot(Path()), Trust(), ()
        )
        at.fail(wrong)
    return replace(cast("Settings", settings), sections=objects)
