"""Every capacity and size of the format, with its reason. Also injected into GLSL and the headers."""

FORMAT_VERSION = 1  #: of the GPUSCENE_scene extension; readers refuse a greater one.
TABLE_ALIGNMENT = 256  #: bytes; the largest storage-buffer offset alignment among current GPUs.
MAX_INSTANCES = 1 << 27  #: 134 million: 64 bytes each stays under a 16 GiB buffer and a 32-bit word index.
MAX_VERTICES = (1 << 32) - 1  #: base_vertex + index must fit 32 bits.
MAX_INDICES = (1 << 32) - 1  #: first_index is 32-bit.
MAX_PRIMITIVES = 1 << 24  #: fits a float32 exactly, so a texture transport may carry it.
MAX_LODS = 8  #: LOD0..LOD7 of one primitive, as in Unreal.
MAX_GLB_BYTES = (1 << 32) - 1  #: the glb header's length field is uint32; past it the file is .gltf + .bin.
CUSTOM_CHANNELS = 8  #: two vec4 an instance.
NO_INDEX = 0xFFFFFFFF  #: "none" in every index field.
BITS_PER_WORD = 32  #: instances to one visibility word.
