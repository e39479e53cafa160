"""One class a pass: which tables it binds, how it is built, how many work groups it needs."""
