"""The HTTP transport: one kept connection, streams that can be interrupted at any point."""
