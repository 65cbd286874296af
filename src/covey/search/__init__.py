"""The searches: a folder for each algorithm, its estimator and its compiled loops together; `kernels` serve several."""
