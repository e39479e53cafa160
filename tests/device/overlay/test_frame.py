"""What holds for every overlay: the frustum of a camera, framebuffers of both kinds, the state left behind, several views."""

import shutil

import gpu
import numpy as np
import pytest
from gpuscene.core import palette
from gpuscene.core.live import status as codes
from gpuscene.device.buffers import make_table
from gpuscene.device.errors import ShaderError
from gpuscene.paths import shaders_dir


def corners_of(eye, near, far, half):
    """(8, 3): of a camera at `eye` that looks along +x with z up: left and right, bottom and top, near and far."""
    return np.array([eye + d * np.array([1, -s * half, t * half]) for d in (near, far) for t in (-1, 1) for s in (-1, 1)])


def looking_along_x(eye, near, far, half):
    to_view = np.eye(4)
    to_view[:3, :3] = (0, -1, 0), (0, 0, 1), (-1, 0, 0)
    to_view[:3, 3] = -to_view[:3, :3] @ eye
    projection = np.zeros((4, 4))
    projection[0, 0] = projection[1, 1] = 1 / half
    projection[2, 2], projection[2, 3], projection[3, 2] = -(far + near) / (far - near), -2 * far * near / (far - near), -1
    return projection @ to_view


@pytest.mark.parametrize("reach", [4.0, 1e6])
def test_frustum_of_a_frozen_camera(studio, is_shade, reach):
    eye, near, far, half = np.array([-11.0, 0.5, -18.0]), 0.5, 6.0, 0.6
    frozen = looking_along_x(eye, near, far, half)
    matrix = studio.perspective()
    picture = studio.picture(matrix, lambda o: o.draw_frustum(frozen, reach), scale=2)
    # The longest edge from near to far is `reach`; all end in one plane.
    end = min(far, near + reach / np.linalg.norm([1, half, half]))
    corners = corners_of(eye, near, end, half)
    edges = [(a, b) for a in range(8) for b in range(a + 1, 8) if (a ^ b).bit_count() == 1]
    for a, b in edges:
        along = corners[a] + np.linspace(0.02, 0.98, 9)[:, None] * (corners[b] - corners[a])
        assert is_shade(studio.at(picture, matrix, along), palette.FRUSTUM_COLOR).all()
    beyond = corners_of(eye, near, end + 1.0, half)[4:]
    assert not is_shade(studio.at(picture, matrix, beyond), palette.FRUSTUM_COLOR).any()
    inside = corners[4:].mean(axis=0)  # of the far rectangle: the fill, over black
    assert 0 < studio.at(picture, matrix, inside)[:3].max() < 60


def test_who_looks_out_of_the_frozen_camera_sees_no_tint(studio):
    matrix = studio.perspective()
    picture = studio.picture(matrix, lambda o: o.draw_frustum(matrix, 50.0))
    assert not picture[5:-5, 5:-5, :3].any()


def test_a_camera_without_a_frustum(studio):
    assert not studio.picture(studio.perspective(), lambda o: o.draw_frustum(None, 10.0))[..., :3].any()


@pytest.mark.parametrize("turn", [1, -1], ids=["along -z", "along z"])
def test_lines_are_cut_at_the_near_plane(studio, is_color, turn):
    """The eye within a box: what is before it is drawn, right to the edge of the picture. Turned, edges begin behind the eye."""
    low, high = np.array([(-2.0, -3, -10)]), np.array([(2.0, -1, 10)])
    boxes, status, matrix = studio.boxes(low, high), studio.status([codes.RULE]), studio.perspective()
    matrix = matrix @ np.diag([turn, 1, turn, 1])
    picture = studio.picture(matrix, lambda o: o.draw_boxes(boxes, status), scale=2)
    along = np.array([(-2.0, -1.0, turn * z) for z in (-9.0, -5.0, -3.0, -2.5)])
    assert is_color(studio.at(picture, matrix, along), palette.REASON_COLORS[codes.RULE]).all()
    assert not picture[70:, :, :3].any()  # nothing above the horizon


@pytest.mark.parametrize("format", ["RGBA8", "SRGB8_A8"])
def test_the_same_colours_in_pictures_and_in_the_viewport(studio, is_color, format):
    """The viewport's overlays are drawn to an sRGB framebuffer, which encodes what it is given."""
    color, depth = (gpu.types.GPUTexture(studio.size, format=kind) for kind in (format, "DEPTH_COMPONENT32F"))
    target = gpu.types.GPUFrameBuffer(color_slots=(color,), depth_slot=depth)
    centers = np.array([(-3, 0, -12), (3, 0, -12)], float)
    spheres, status, matrix = studio.spheres(centers), studio.status([codes.VISIBLE, codes.DISTANCE]), studio.perspective()
    with target.bind():
        target.clear(color=(0, 0, 0, 1), depth=1.0)
        with studio.overlay.view(matrix, studio.size, 2):
            studio.overlay.draw_points(spheres, status)
        stored = np.array(target.read_color(0, 0, *studio.size, 4, 0, "UBYTE").to_list(), np.uint8)
        kept = np.array(target.read_depth(0, 0, *studio.size).to_list())
    for center, reason in zip(centers, (codes.VISIBLE, codes.DISTANCE)):
        assert is_color(studio.at(stored, matrix, center), palette.REASON_COLORS[reason])
    assert (kept == 1.0).all()


def test_state_is_put_back(studio):
    state = gpu.state
    spheres, status = studio.spheres([(0, 0, -9)]), studio.status([0])
    before = {"depth_test": ("GREATER", "NONE"), "depth_mask": (True, False), "blend": ("ADDITIVE", "NONE")}
    for end in (0, 1):
        for name, values in before.items():
            getattr(state, f"{name}_set")(values[end])
        try:
            with studio.target.bind(), studio.overlay.view(studio.perspective(), studio.size) as overlay:
                overlay.draw_points(spheres, status)
                assert (state.depth_test_get(), state.depth_mask_get(), state.blend_get()) == ("LESS_EQUAL", False, "ALPHA")
                raise KeyError
        except KeyError:
            pass
        for name, values in before.items():
            assert getattr(state, f"{name}_get")() == values[end]


def test_two_views_of_one_frame_keep_apart(studio, is_color):
    """Uniform blocks are written anew while the first view's draws may still be queued."""
    left, right = np.array([-3.0, 0, -12]), np.array([3.0, 0, -12])
    spheres, status, matrix = studio.spheres([left]), studio.status([codes.VISIBLE | 1 << 3]), studio.perspective()
    shifted = studio.perspective(left - right)
    with studio.target.bind():
        gpu.state.active_framebuffer_get().clear(color=(0, 0, 0, 1), depth=1.0)
        for view, mode in ((matrix, "visibility"), (shifted, "lod")):
            with studio.overlay.view(view, studio.size, 2):
                studio.overlay.draw_points(spheres, status, mode=mode)
        picture = np.frombuffer(studio.target.texture_color.read(), np.uint8).reshape(studio.size[1], studio.size[0], 4)
    assert is_color(studio.at(picture, matrix, left), palette.REASON_COLORS[codes.VISIBLE])
    assert is_color(studio.at(picture, matrix, right), palette.LOD_COLORS[1])


def test_a_status_that_a_pass_wrote(studio, is_color):
    """The table lies on the GPU: a compute pass writes it, and the vertex shader of the next draw reads it."""
    info = gpu.types.GPUShaderCreateInfo()
    info.local_group_size(4, 1, 1)
    if studio.transport == "storage":
        info.storage_buf(0, "uint", "status_table[]", qualifiers={"WRITE"})
        store = "status_table[i] = word"
    else:
        info.image(0, "R32UI", "UINT_2D", "status_image", qualifiers={"READ", "WRITE"})
        store = "imageStore(status_image, ivec2(int(i), 0), uvec4(word))"
    info.compute_source(f"void main() {{ uint i = gl_GlobalInvocationID.x; uint word = 1u | (i << 16); {store}; }}")
    shader = gpu.shader.create_from_info(info)
    status = make_table(studio.device, studio.transport, "status", "uint", 4, on_device=True)
    shader.bind()
    status.bind(shader)
    gpu.compute.dispatch(shader, 1, 1, 1)
    gpu.shader.unbind()
    centers = np.array([(-3, 2, -12), (3, 2, -12), (-3, -2, -12), (3, -2, -12)], float)
    spheres, matrix = studio.spheres(centers), studio.perspective()
    picture = studio.picture(matrix, lambda o: o.draw_points(spheres, status), scale=2)
    assert is_color(studio.at(picture, matrix, centers), palette.REASON_COLORS[codes.HIDDEN]).all()
    assert (status.read() == [1, 1 | 1 << 16, 1 | 2 << 16, 1 | 3 << 16]).all()


def test_tables_by_other_names(studio, is_color):
    spheres = studio.table("live_spheres", "vec4", np.array([(0, 0, -12, 0.5)], "f4"))
    status, matrix = studio.table("view_status", "uint", np.array([codes.RULE], "u4")), studio.perspective()
    picture = studio.picture(matrix, lambda o: o.draw_points(spheres, status), scale=2)
    assert is_color(studio.at(picture, matrix, np.array((0.0, 0, -12))), palette.REASON_COLORS[codes.RULE])


def test_drawing_needs_a_view(studio):
    spheres, status = studio.spheres([(0, 0, -9)]), studio.status([0])
    with pytest.raises(RuntimeError, match="within Overlay.view"):
        studio.overlay.draw_points(spheres, status)


def test_a_broken_shader_is_reported_with_its_own_line(studio, tmp_path, monkeypatch):
    shutil.copytree(shaders_dir(), tmp_path, dirs_exist_ok=True)
    file = tmp_path / "overlay" / "live_points.frag.glsl"
    lines = file.read_text().splitlines()
    at = next(k for k, line in enumerate(lines) if "float coverage" in line)
    lines[at] = lines[at].replace("clamp(", "clamped(")
    file.write_text("\n".join(lines))
    monkeypatch.setattr("gpuscene.paths.shaders_dir", lambda: tmp_path)
    spheres, status = studio.spheres([(0, 0, -9)]), studio.status([0])
    with pytest.raises(ShaderError, match=f"overlay/live_points.frag.glsl, line {at + 1}: .*clamped"):
        studio.picture(studio.perspective(), lambda o: o.draw_points(spheres, status))
    assert gpu.state.blend_get() == "NONE"
