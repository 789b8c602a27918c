"""Its folder is where tests find the package, installed or not."""
