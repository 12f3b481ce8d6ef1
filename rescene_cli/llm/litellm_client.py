"""Every provider that litellm knows."""
