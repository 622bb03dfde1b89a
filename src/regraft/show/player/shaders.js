// What the graphics processor runs. Poses and pieces are textures, so that all bodies are drawn at once.

const WIDE = 256; // slots of bodies, or pieces, in a row of a texture

const PLACE = `
uniform highp sampler2D u_poses;
uniform highp sampler2D u_pieces;
uniform bool u_own;
uniform mat3x4 u_place;
uniform vec4 u_colour;
mat3x4 placeOf(int slot) {
  ivec2 at = ivec2((slot % ${WIDE}) * 3, slot / ${WIDE});
  return mat3x4(texelFetch(u_poses, at, 0), texelFetch(u_poses, at + ivec2(1, 0), 0), texelFetch(u_poses, at + ivec2(2, 0), 0));
}
vec4 pieceAt(uint piece, int which) {
  int p = int(piece);
  return texelFetch(u_pieces, ivec2((p % ${WIDE}) * 2 + which, p / ${WIDE}), 0);
}`;

const SURFACE_VERTEX = `#version 300 es
precision highp float;
precision highp int;
layout(location = 0) in vec3 a_corner;
layout(location = 1) in vec3 a_normal;
layout(location = 2) in uint a_piece;
uniform mat4 u_seen;
uniform float u_swell;
out vec3 v_world;
out vec3 v_normal;
out vec4 v_colour;
out float v_glow;
flat out uint v_piece;
${PLACE}
void main() {
  vec4 more = pieceAt(a_piece, 1);
  mat3x4 place = u_own ? u_place : placeOf(int(more.x));
  v_world = vec4(a_corner, 1.0) * place;
  v_normal = vec4(a_normal, 0.0) * place;
  v_colour = u_own ? u_colour : pieceAt(a_piece, 0);
  v_glow = u_own ? 0.0 : more.y;
  v_piece = a_piece;
  v_world += normalize(v_normal) * u_swell * v_glow;
  gl_Position = u_seen * vec4(v_world, 1.0);
}`;

const LIGHT = `
uniform mat4 u_lit;
uniform highp sampler2DShadow u_shadow;
uniform float u_texel;
float lightAt(vec3 world, vec3 normal) {
  vec4 at = u_lit * vec4(world + normal * u_texel, 1.0);
  vec3 where = 0.5 * at.xyz + 0.5;
  if (any(lessThan(where, vec3(0.0))) || any(greaterThan(where, vec3(1.0)))) return 1.0;
  float sum = 0.0;
  float fine = 1.5 / float(textureSize(u_shadow, 0).x);
  for (int x = -SOFT; x <= SOFT; x++)
    for (int y = -SOFT; y <= SOFT; y++) sum += texture(u_shadow, vec3(where.xy + vec2(x, y) * fine, where.z - 0.0006));
  return sum / float((2 * SOFT + 1) * (2 * SOFT + 1));
}`;

const SURFACE_FRAGMENT = `#version 300 es
precision highp float;
precision highp int;
in vec3 v_world;
in vec3 v_normal;
in vec4 v_colour;
in float v_glow;
flat in uint v_piece;
uniform vec3 u_eye;
uniform vec3 u_up;
uniform vec3 u_sun;
uniform float u_dark;
uniform float u_alpha;
uniform float u_flat;
uniform vec2 u_floor;
out vec4 colour;
${LIGHT}
void main() {
  vec3 n = normalize(v_normal);
  vec3 out_ = normalize(u_eye - v_world);
  if (dot(n, out_) < 0.0 && !gl_FrontFacing) n = -n;
  vec3 base = pow(v_colour.rgb, vec3(2.2));
  float sun = max(dot(n, u_sun), 0.0);
  float lit = sun > 0.0 ? sun * lightAt(v_world, n) : 0.0;
  float above = dot(v_world, u_up) - u_floor.x;
  float near = mix(0.72, 1.0, clamp(above / u_floor.y, 0.0, 1.0) * 0.6 + 0.4 * (0.5 + 0.5 * dot(n, u_up)));
  vec3 sky = mix(vec3(0.34, 0.32, 0.30), vec3(0.60, 0.64, 0.70), 0.5 + 0.5 * dot(n, u_up)) * near;
  float facing = max(dot(n, out_), 0.0);
  vec3 halfway = normalize(u_sun + out_);
  float shine = pow(max(dot(n, halfway), 0.0), 42.0) * 0.22 * (0.25 + 0.75 * min(lit * 2.0, 1.0));
  float rim = pow(1.0 - facing, 3.0) * mix(0.10, 0.16, u_dark);
  vec3 shown = base * (sky * mix(1.0, 0.85, u_dark) + vec3(1.0, 0.97, 0.92) * lit * 0.78 + 0.10 * facing) + shine + rim * sky;
  shown = mix(shown, base * (0.75 + 0.35 * facing), u_flat);
  shown = mix(shown, base * 1.15 + 0.12, clamp(v_glow, 0.0, 1.0) * 0.7);
  colour = vec4(pow(shown, vec3(1.0 / 2.2)), 1.0) * v_colour.a * u_alpha;
}`;

const SHADOW_FRAGMENT = `#version 300 es
precision highp float;
void main() {}`;

const PICK_FRAGMENT = `#version 300 es
precision highp float;
precision highp int;
flat in uint v_piece;
out vec4 colour;
void main() { colour = vec4(float(v_piece & 255u), float((v_piece >> 8u) & 255u), float(v_piece >> 16u), 255.0) / 255.0; }`;

const FLOOR_VERTEX = `#version 300 es
precision highp float;
uniform mat4 u_seen;
uniform mat3x4 u_floor;
uniform vec2 u_middle;
uniform float u_reach;
out vec2 v_at;
out vec3 v_world;
void main() {
  vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0;
  v_at = u_middle + corner * u_reach;
  v_world = vec4(v_at, 0.0, 1.0) * u_floor;
  gl_Position = u_seen * vec4(v_world, 1.0);
}`;

const FLOOR_FRAGMENT = `#version 300 es
precision highp float;
in vec2 v_at;
in vec3 v_world;
uniform vec2 u_middle;
uniform float u_reach;
uniform float u_cell;
uniform vec3 u_normal;
uniform vec3 u_paint;
uniform vec3 u_line;
uniform float u_shade;
out vec4 colour;
${LIGHT}
float lines(vec2 at, float wide) {
  vec2 per = fwidth(at);
  vec2 off = abs(fract(at - 0.5) - 0.5) / per;
  float line = 1.0 - clamp(min(off.x, off.y) - wide, 0.0, 1.0);
  return line * clamp(1.0 - 2.2 * max(per.x, per.y), 0.0, 1.0);
}
void main() {
  float far = length(v_at - u_middle) / u_reach;
  float fade = 1.0 - smoothstep(0.25, 1.0, far);
  float line = max(0.45 * lines(v_at / u_cell, 0.1), lines(v_at / (5.0 * u_cell), 0.35));
  float dim = 1.0 - lightAt(v_world, u_normal);
  vec3 shown = mix(mix(u_paint, u_line, line), u_line * 0.25, dim * u_shade);
  float alpha = fade * fade * max(0.92, dim);
  colour = vec4(shown, 1.0) * alpha;
}`;

const SKY_VERTEX = `#version 300 es
precision highp float;
out vec2 v_at;
void main() {
  v_at = vec2(gl_VertexID & 1, gl_VertexID >> 1);
  gl_Position = vec4(v_at * 2.0 - 1.0, 0.9999, 1.0);
}`;

const SKY_FRAGMENT = `#version 300 es
precision highp float;
in vec2 v_at;
uniform vec3 u_above;
uniform vec3 u_below;
out vec4 colour;
void main() { colour = vec4(mix(u_below, u_above, smoothstep(0.0, 0.9, v_at.y)), 1.0); }`;
