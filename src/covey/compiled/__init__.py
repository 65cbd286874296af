"""How kernels are compiled and cached, pause while they run, and are interrupted."""
