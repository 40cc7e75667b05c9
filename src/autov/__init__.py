"""autov."""
