"""The clustering algorithms: one file each; `kernels/` holds their compiled loops."""
