"""The viewer in the browser: a mechanism is shown, runs and is changed while it runs. Only what serves the page needs viser."""
