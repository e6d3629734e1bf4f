"""Providers that come ready: what would stand under `providers` in settings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

KIND = "openai_compat"

PRESETS: Mapping[str, Mapping[str, Any]] = {
    "openai": {
        "kind": KIND,
        "model": "gpt-4.1",
        "base_url": "https://api.openai.com/v1",
        "api_key_env": "OPENAI_API_KEY",
        "vendor": "openai",
        "output_limit_field": "max_completion_tokens",
    },
    # The free tier counts prompt and requested output together, 8,000 tokens a minute: a request
    # must leave room below that, or it is refused before a token is made. A paid tier raises both.
    "groq": {
        "kind": KIND,
        "model": "openai/gpt-oss-120b",
        "base_url": "https://api.groq.com/openai/v1",
        "api_key_env": "GROQ_API_KEY",
        "vendor": "groq",
        "tool_verbosity": "terse",
        "caps": {"max_context": 7_000, "max_output": 1_500},
    },
    # Thinks only when its template is told to, and takes no notice of an effort. It sends no header
    # that says how long to wait, and has one request at a time. A prompt of 200,010 tokens was
    # taken, so that the window is that at least; nobody says how long a reply may be, so the
    # figure is what replies seldom need more than.
    "nvidia": {
        "kind": KIND,
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
    # The address holds the name of one's workspace, so it cannot come ready. It serves the model
    # that the address names, whatever the request says.
    "blaxel": {
        "kind": KIND,
        "model": "gpt-4o-mini",
        "api_key_env": "BL_API_KEY",
    },
    # The window is the one that the server was started with, so none stands here.
    "ollama": {
        "kind": KIND,
        "model": "qwen2.5-coder:14b",
        "base_url": "http://localhost:11434/v1",
    },
}

# How to fill in an address that cannot come ready.
ADDRESSES: Mapping[str, str] = {
    "blaxel": "set providers.blaxel.base_url to the address of your model API in the console,"
    ' "https://run.blaxel.ai/WORKSPACE/models/MODEL/v1"',
}
