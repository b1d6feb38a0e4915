"""The sandboxes that student code runs in; `inside/` is the only part of it they contain."""
