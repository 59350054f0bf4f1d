"""Klaverjas, version 0, as a PettingZoo module: `env` with the usual wrappers, `raw_env` without."""

from klaverjas_env.envs.aec import env, raw_env

__all__ = ["env", "raw_env"]
