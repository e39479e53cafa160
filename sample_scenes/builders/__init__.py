"""One module a sample scene; each has `build(folder)`, which writes its .blend files there and returns their paths."""
