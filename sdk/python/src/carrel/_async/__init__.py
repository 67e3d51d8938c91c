"""With an event loop; `_sync` is made from it."""
