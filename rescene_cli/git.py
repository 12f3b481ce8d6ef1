"""The only caller of git."""
