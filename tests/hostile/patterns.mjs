/** A regular expression of the front end, a line -> what taking out all its matches costs, as `patterns.py` asks. */

/**
 * @param {string} source
 * @param {string} flags
 * @param {string} line
 * @param {number} least seconds of this process that are measured; a shorter call is repeated
 */
export function seconds(source, flags, line, least) {
  const pattern = new RegExp(source, flags.includes("g") ? flags : `${flags}g`);
  const started = process.cpuUsage();
  let count = 0;
  let took = 0;
  do {
    line.replace(pattern, "");
    count += 1;
    const { user, system } = process.cpuUsage(started);
    took = (user + system) / 1e6;
  } while (took < least);
  return took / count;
}
