"""What there is, or why there is nothing; each in a process of its own where the driver is hidden."""

import pytest
from gpuscene.device.errors import DeviceError

HIDDEN = {"VK_DRIVER_FILES": "/nonexistent", "__EGL_VENDOR_LIBRARY_FILENAMES": "/nonexistent"}


def test_no_driver_is_said_in_one_line(run_python):
    """Blender itself ends with a segmentation fault here."""
    out = run_python("import bpy\nfrom gpuscene.device import capabilities\nprint(capabilities.why_none())", **HIDDEN)
    assert out.strip().splitlines()[-1].startswith("There is no GPU: egl: no driver answers")
    assert "--device cpu" in out


def test_importing_touches_no_gpu(run_python):
    out = run_python(
        "import sys\nfrom gpuscene.device import capabilities, buffers, frame, shader_library, timing, custom_rule\n"
        "print([name for name in ('bpy', 'gpu') if name in sys.modules])"
    )
    assert out.strip().endswith("[]")


def test_without_blender(run_python):
    code = "import sys\nsys.modules['gpu'] = None\nfrom gpuscene.device import capabilities\nprint(capabilities.why_none())"
    assert run_python(code).strip() == "There is no GPU without Blender. Run inside Blender or install its Python module (bpy)."


def test_a_transport_that_is_not_there(device):
    with pytest.raises(DeviceError, match="This Blender has no carrier pigeon transport."):
        device.transport("carrier pigeon")
    assert device.transport() == device.transports[0]
    assert device.transport("texture") == "texture"


@pytest.mark.parametrize("used_before", [False, True])
def test_a_render_that_took_the_context_is_said_so(run_python, used_before):
    """Blender's own limit: after a background render with grease pencil there is a back end but no context."""
    out = run_python(f"""if True:
        import bpy
        from gpuscene.device import capabilities
        if {used_before}:
            assert capabilities.why_none() == ""
        bpy.ops.wm.read_factory_settings(use_empty=True)
        scene = bpy.context.scene
        bpy.ops.object.grease_pencil_add(type="STROKE")
        bpy.ops.object.camera_add(location=(0, -5, 0), rotation=(1.57, 0, 0))
        scene.camera = bpy.context.object

        class Engine(bpy.types.RenderEngine):
            bl_idname, bl_label = "NOTHING", "Nothing"
            def render(self, depsgraph):
                pass

        bpy.utils.register_class(Engine)
        scene.render.engine, scene.render.resolution_x, scene.render.resolution_y = "NOTHING", 16, 16
        bpy.ops.render.render()
        print(capabilities.why_none())
        """)
    assert out.strip().splitlines()[-1].startswith("Blender has no GPU context left: a render in this process took it.")
