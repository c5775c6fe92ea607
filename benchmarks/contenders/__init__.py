"""Who is measured: one small function a contender, one line each in the registry."""
