"""The live scene on the GPU: small uploads, culling for each view, and the overlays drawn over it."""
