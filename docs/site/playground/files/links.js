// A program -> what stands behind the # of its link, and back: compressed, in letters that an address may have.

const KEY = "program=";

/** The bytes of a stream. @param {ReadableStream} stream */
const bytesOf = async (stream) => new Uint8Array(await new Response(stream).arrayBuffer());

/**
 * @param {string} source
 * @returns {Promise<string>} what begins with "#"
 */
export async function hashOf(source) {
  const packed = await bytesOf(new Blob([source]).stream().pipeThrough(new CompressionStream("deflate-raw")));
  const text = btoa(Array.from(packed, (byte) => String.fromCharCode(byte)).join(""));
  return `#${KEY}${text.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")}`;
}

/**
 * @param {string} hash
 * @returns {Promise<string | null>} null where it holds no program
 * @throws {Error} what it holds was cut, or is something else
 */
export async function programOf(hash) {
  if (!hash.startsWith(`#${KEY}`)) return null;
  try {
    const text = atob(hash.slice(KEY.length + 1).replaceAll("-", "+").replaceAll("_", "/"));
    const packed = Uint8Array.from(text, (letter) => letter.charCodeAt(0));
    const whole = await bytesOf(new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate-raw")));
    return new TextDecoder("utf-8", { fatal: true }).decode(whole);
  } catch {
    throw new Error("This link holds no whole program: it was cut, or changed, on its way.");
  }
}
