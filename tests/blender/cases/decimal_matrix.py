"""World matrices of objects in 50-digit decimals, from the float32 numbers that Blender stores: an oracle for float64."""

from decimal import Decimal, getcontext

getcontext().prec = 50


def sine(x):
    term = total = x
    k = 1
    while abs(term) > Decimal(10) ** -45:
        term *= -x * x / ((k + 1) * (k + 2))
        total += term
        k += 2
    return total


def cosine(x):
    term = total = Decimal(1)
    k = 0
    while abs(term) > Decimal(10) ** -45:
        term *= -x * x / ((k + 1) * (k + 2))
        total += term
        k += 2
    return total


def product(a, b):
    return [[sum(a[i][k] * b[k][j] for k in range(4)) for j in range(4)] for i in range(4)]


def identity():
    return [[Decimal(int(i == j)) for j in range(4)] for i in range(4)]


def exact(values):
    """Blender's float32 values, digit for digit."""
    return [Decimal(float(v)) for v in values]


def about(axis, angle):
    """Rodrigues' formula for a unit axis; also the Euler angles' single turns."""
    c, s = cosine(angle), sine(angle)
    x, y, z = axis
    rows = [
        [c + x * x * (1 - c), x * y * (1 - c) - z * s, x * z * (1 - c) + y * s],
        [y * x * (1 - c) + z * s, c + y * y * (1 - c), y * z * (1 - c) - x * s],
        [z * x * (1 - c) - y * s, z * y * (1 - c) + x * s, c + z * z * (1 - c)],
    ]
    out = identity()
    for i in range(3):
        out[i][:3] = rows[i]
    return out


def from_quaternion(q):
    """As the axis and half angle's sine and cosine it stands for: R = I + 2 w [u] + 2 [u]^2, of the normalised quaternion."""
    w, x, y, z = q
    length = (w * w + x * x + y * y + z * z).sqrt()
    w, x, y, z = (v / length for v in (w, x, y, z))
    cross = [[0, -z, y], [z, 0, -x], [-y, x, 0]]
    out = identity()
    for i in range(3):
        for j in range(3):
            out[i][j] += 2 * w * cross[i][j] + 2 * sum(cross[i][k] * cross[k][j] for k in range(3))
    return out


def rotation(mode, euler, quaternion, axis_angle):
    if mode == "QUATERNION":
        return from_quaternion(exact(quaternion))
    if mode == "AXIS_ANGLE":
        angle, *axis = exact(axis_angle)
        length = sum(a * a for a in axis).sqrt()
        return about([a / length for a in axis], angle) if length else identity()
    out = identity()
    for letter in mode:
        index = "XYZ".index(letter)
        out = product(about([Decimal(int(i == index)) for i in range(3)], exact(euler)[index]), out)
    return out


def basis(obj):
    mode = obj.rotation_mode
    own = rotation(mode, obj.rotation_euler, obj.rotation_quaternion, obj.rotation_axis_angle)
    delta = rotation(mode, obj.delta_rotation_euler, obj.delta_rotation_quaternion, (0, 0, 1, 0))
    out = product(delta, own)
    scale = [a * b for a, b in zip(exact(obj.scale), exact(obj.delta_scale))]
    for i in range(3):
        out[i][:3] = [out[i][j] * scale[j] for j in range(3)]
        out[i][3] = exact(obj.location)[i] + exact(obj.delta_location)[i]
    return out


def world(obj):
    own = basis(obj)
    if obj.parent is None:
        return own
    return product(product(world(obj.parent), [exact(row) for row in obj.matrix_parent_inverse]), own)
