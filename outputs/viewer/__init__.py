"""The viewer: a local page over a build's rows, and over what differs between two builds."""
