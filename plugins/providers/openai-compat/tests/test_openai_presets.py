"""The presets, value by value, and what an entry of one's own can say."""

from __future__ import annotations

import json
import re
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from turnloop_core.config.providers import provider_options
from turnloop_core.environment import SessionOptions, load_environment
from turnloop_core.errors import SettingsError
from turnloop_core.testing.cli import run_tl
from turnloop_core.testing.contexts import registered
from turnloop_core.testing.loopback import Answer, Loopback, chat_chunks, sse
from turnloop_core.types.capabilities import Capabilities
from turnloop_openai_compat import plugin
from turnloop_openai_compat.options import OpenAICompatOptions
from turnloop_openai_compat.presets import PRESETS

ENTRY = registered(plugin, "register_providers")["openai_compat"]
SEED = Path(__file__).parents[4].parent / "shared" / "seeds" / "turnloop-readme.txt"
OTHERS = {"mock", "glm", "anthropic", "gemini"}  # what other plugins bring

# What each must be: model, key, and what was learned of its endpoint.
REQUIRED: dict[str, dict[str, Any]] = {
    "openai": {
        "model": "gpt-4.1",
        "base_url": "https://api.openai.com/v1",
        "api_key_env": "OPENAI_API_KEY",
        "vendor": "openai",
        "output_limit_field": "max_completion_tokens",
    },
    "groq": {
        "model": "openai/gpt-oss-120b",
        "base_url": "https://api.groq.com/openai/v1",
        "api_key_env": "GROQ_API_KEY",
        "vendor": "groq",
        "tool_verbosity": "terse",
        "caps": {"max_context": 7_000, "max_output": 1_500},
    },
    "nvidia": {
        "model": "z-ai/glm-5.2",
        "base_url": "https://integrate.api.nvidia.com/v1",
        "api_key_env": "NVIDIA_API_KEY",
        "thinking_body": {"chat_template_kwargs": {"thinking": {"type": "enabled"}}},
        "thinking_off_body": {"chat_template_kwargs": {"thinking": {"type": "disabled"}}},
        "effort_field": "",
        "caps": {
            "max_context": 200_000,
            "max_output": 8_192,
            "max_concurrent_requests": 1,
            "reasoning": True,
            "thinking_off": "flag",
        },
    },
    "blaxel": {"model": "gpt-4o-mini", "api_key_env": "BL_API_KEY"},
    "ollama": {"model": "qwen2.5-coder:14b", "base_url": "http://localhost:11434/v1"},
}


def test_the_table() -> None:
    assert dict(ENTRY.presets) == {
        name: {"kind": "openai_compat", **entry} for name, entry in REQUIRED.items()
    }


def seed_rows() -> dict[str, dict[str, str]]:
    """The provider table of the requirements: name -> column -> value."""
    lines = SEED.read_text("utf-8").splitlines()
    start = next(n for n, line in enumerate(lines) if line.startswith("name\tkind\tmodel\tauth"))
    columns = lines[start].split("\t")
    rows: dict[str, dict[str, str]] = {}
    for line in lines[start + 1 :]:
        if "\t" not in line:
            break
        values = dict(zip(columns, line.split("\t"), strict=False))
        rows[values["name"]] = values
    return rows


@pytest.mark.skipif(not SEED.exists(), reason="the requirements are not beside the repository")
def test_the_table_of_the_requirements() -> None:
    wanted = {
        name: (row["kind"], row["model"], "" if row["auth"] == "none" else row["auth"])
        for name, row in seed_rows().items()
        if name not in OTHERS
    }
    assert len(wanted) == 5
    assert wanted == {
        name: (entry["kind"], entry["model"], entry.get("api_key_env", ""))
        for name, entry in PRESETS.items()
    }


def test_what_the_models_of_presets_can_do(make) -> None:
    def can(name: str, model: str = "") -> tuple[int, int, int, bool, str]:
        entry = dict(PRESETS[name]) | {"vendor": ""}
        found: Capabilities = make(name, **entry).capabilities(model or entry["model"])
        return (
            found.max_context,
            found.max_output,
            found.max_concurrent_requests,
            found.reasoning,
            found.thinking_off,
        )

    assert can("groq") == (7_000, 1_500, 0, True, "lowest_effort")
    assert can("groq", "another") == (7_000, 1_500, 0, False, "never")
    assert can("nvidia") == (200_000, 8_192, 1, True, "flag")
    assert can("openai") == (1_047_576, 32_768, 0, False, "never")
    assert can("ollama") == (32_768, 4_096, 0, False, "never")


def test_the_same_model_elsewhere_inherits_nothing(make) -> None:
    """An id that holds another never gets what that one has."""
    assert make("nvidia", **PRESETS["nvidia"]).capabilities("glm-5.2").cost_per_hour is None
    mine = make(base_url="http://h/v1", model="glm-5.2", caps={"cost_per_hour": 18.16})
    assert mine.capabilities("z-ai/glm-5.2") == Capabilities()


@pytest.mark.parametrize("address", ["", "  "])
def test_the_address_of_blaxel_must_be_set(make, address: str) -> None:
    with pytest.raises(SettingsError, match="base_url is missing") as raised:
        make("blaxel", **PRESETS["blaxel"], base_url=address)
    assert "providers.blaxel.base_url" in raised.value.hint
    assert "run.blaxel.ai/WORKSPACE" in raised.value.hint
    assert make("blaxel", **PRESETS["blaxel"], base_url="http://h/v1").model == "gpt-4o-mini"


def test_a_provider_without_an_address_breaks_no_command(tmp_path: Path) -> None:
    for arguments in (("config",), ("--provider", "blaxel", "config"), ("plugins",)):
        done = run_tl(*arguments, home=tmp_path)
        assert done.returncode == 0, done.stderr
    done = run_tl("doctor", home=tmp_path)
    assert "blaxel: BL_API_KEY is not set" in done.stdout
    done = run_tl("--provider", "blaxel", "doctor", home=tmp_path, env={"BL_API_KEY": "k"})
    assert done.returncode == 1
    assert "providers.blaxel.base_url" in done.stdout + done.stderr
    assert "Traceback" not in done.stdout + done.stderr


README = (Path(__file__).parents[1] / "README.md").read_text("utf-8")


def recipes() -> list[dict[str, Any]]:
    """The entries that the README shows, as they would stand under `providers`."""
    blocks = [json.loads(block) for block in re.findall(r"```json\n(.*?)```", README, re.DOTALL)]
    found: list[dict[str, Any]] = []
    for block in blocks:
        entries = block["providers"].items() if "providers" in block else [("", block)]
        found += [{**PRESETS.get(name, {}), **entry} for name, entry in entries]
    return found


@pytest.mark.parametrize("entry", recipes(), ids=lambda entry: entry["base_url"])
def test_the_recipes_of_the_readme_work(make, hear, entry: dict[str, Any]) -> None:
    with Loopback(Answer(body=sse(*chat_chunks(text="ok")))) as server:
        own = {"base_url": f"{server.url}/v1", "health_url": "", "vendor": ""}
        secrets = {entry.get("api_key_env", ""): "k"}
        provider = make(secrets=secrets, **{**entry, **own})
        hear(provider)
    assert provider.capabilities(entry["model"]).known
    (got,) = server.requests
    assert None not in got.json.values()


def test_the_readme_names_every_field() -> None:
    table = README.partition("## Settings")[2].partition("## Thinking")[0]
    told = set(re.findall(r"^\| `(\w+)`", table, re.MULTILINE))
    assert told == {f.name for f in fields(OpenAICompatOptions)} - {"kind"}


OPENROUTER = """{
  "providers": {
    "openrouter": {
      "kind": "openai_compat",
      "model": "anthropic/claude-sonnet-4.5",
      "base_url": "%s",
      "api_key_env": "OPENROUTER_API_KEY",
      "headers": {
        "HTTP-Referer": "https://github.com/you/yourproject",
        "X-Title": "turnloop"
      },
      "caps": {
        "max_context": 200000,
        "max_output": 32000,
        "price_in_per_mtok": 3.0,
        "price_out_per_mtok": 15.0,
        "max_concurrent_requests": 8
      }
    }
  }
}"""


def test_openrouter_by_settings_alone(tmp_path: Path) -> None:
    folder = tmp_path / ".turnloop"
    folder.mkdir()
    answer = Answer(body=sse(*chat_chunks(text="Hello from far away.")))
    with Loopback(answer) as server:
        (folder / "settings.json").write_text(OPENROUTER % f"{server.url}/api/v1")
        done = run_tl(
            *("--provider", "openrouter", "-p", "Hi"),
            home=tmp_path,
            env={"OPENROUTER_API_KEY": "or-key"},
        )
    assert done.returncode == 0, done.stderr
    assert "Hello from far away." in done.stdout
    (got,) = server.requests
    assert got.path == "/api/v1/chat/completions"
    assert got.headers["authorization"] == "Bearer or-key"
    assert got.headers["http-referer"] == "https://github.com/you/yourproject"
    assert got.headers["x-title"] == "turnloop"
    assert (got.json["model"], got.json["max_tokens"]) == ("anthropic/claude-sonnet-4.5", 32_000)


def test_every_field_may_stand_in_settings(tmp_path: Path) -> None:
    entry: dict[str, Any] = {
        "kind": "openai_compat",
        "model": "glm-5.2",
        "base_url": "http://127.0.0.1:9/v1",
        "api_key_env": "GLM_KEY",
        "headers": {"X-Team": "a"},
        "timeout_s": None,
        "health_url": "http://127.0.0.1:9/health",
        "cold_boot_budget_s": 1200,
        "max_retries": 3,
        "extra_body": {"provider": {"order": ["x"]}},
        "glm_reasoning": True,
        "tool_verbosity": "terse",
        "thinking": "low",
        "reasoning_field": "reasoning",
        "think_tags": True,
        "thinking_body": {"a": 1},
        "thinking_off_body": {"a": 0},
        "effort_field": "effort",
        "lowest_effort": "none",
        "output_limit_field": "max_completion_tokens",
        "call_ids": "short",
        "after_tools": "assistant",
        "vendor": "",
        "caps": {
            "max_context": 65_536,
            "max_output": 8_192,
            "max_concurrent_requests": 2,
            "price_in_per_mtok": 0.5,
            "price_out_per_mtok": 1.5,
            "price_cached_per_mtok": 0.1,
            "cost_per_hour": 18.16,
            "reasoning": True,
            "thinking_off": "flag",
        },
    }
    home, cwd = tmp_path / "home", tmp_path / "project"
    (home / ".turnloop").mkdir(parents=True)
    cwd.mkdir()
    text = json.dumps({"providers": {"glm": entry}})
    (home / ".turnloop" / "settings.json").write_text(text)
    environment = load_environment(SessionOptions(cwd, home, {}))
    kinds = environment.plugins.registries.providers
    options = provider_options(environment.loaded, "glm", kinds)
    assert {name: getattr(options, name) for name in entry} == entry
