/** How many objects become one, although the service joins at most 32 at a time. */

export interface ComposeStep {
  readonly sources: readonly string[];
  readonly target: string;
}

export const maxSources = 32;

/**
 * Layers of steps: those of a layer may run at the same time, and need the layer before. Each source is used once, and each
 * target made once; the last one is `target`. Intermediate objects are named after their first source, the attempt and the
 * layer.
 * @param attempt distinguishes those of two callers.
 */
export function composeLayers(sources: readonly string[], target: string, attempt: string): ComposeStep[][] {
  const layers: ComposeStep[][] = [];
  let left = [...sources];
  for (let layer = 0; left.length > maxSources; layer++) {
    const steps: ComposeStep[] = [];
    const made: string[] = [];
    for (let at = 0; at < left.length; ) {
      const rest = left.length - at;
      const group = left.slice(at, at + maxSources);
      const [first = '', ...others] = group;
      // What is left fits beside what was made: it waits for the last step.
      if (others.length === 0 || made.length + rest <= maxSources) {
        made.push(...left.slice(at));
        break;
      }
      const name = `${first}_${attempt}_${layer}`;
      steps.push({ sources: group, target: name });
      made.push(name);
      at += group.length;
    }
    layers.push(steps);
    left = made;
  }
  return [...layers, [{ sources: left, target }]];
}
