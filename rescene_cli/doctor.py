"""What is there, what is missing."""
