"""One function a pair of shapes: how far they are apart, the normal from the second to the first, and where they touch.

Each takes the poses of the shapes' frames in common axes about a common origin, and their sizes. The place of contact is on the
surface of the first. At gap = 0 the rate of the gap is normal · (velocity of the first − velocity of the second) there. All are
generic in the scalar, and choose by real parts alone.
"""
