// For loops over a small array that must live in registers. Compilers without the attribute are left to their own judgement.
#ifdef GL_EXT_control_flow_attributes
#extension GL_EXT_control_flow_attributes : enable
#define UNROLL [[unroll]]
#else
#define UNROLL
#endif
