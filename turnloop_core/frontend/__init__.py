"""Front ends: the command line, headless runs, and the loop of lines on a terminal."""
