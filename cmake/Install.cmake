# Installed by cmake --install; see docs/building.md.
