/** "Did you mean …?": finds the word closest to what was typed, if it is close enough. Pure. */
export function nearest(typed: string, words: readonly string[]): string | undefined {
  const farthest = Math.max(2, Math.floor(typed.length / 3))
  let best: { word: string; distance: number } | undefined
  for (const word of words) {
    const [mine, theirs] = [typed.toLowerCase(), word.toLowerCase()]
    // Bounds the cost: a larger difference in length cannot be close.
    if (Math.abs(mine.length - theirs.length) > farthest) continue
    const distance = editDistance(mine, theirs)
    if (distance <= farthest && (!best || distance < best.distance)) best = { word, distance }
  }
  return best?.word
}

/** Levenshtein distance. */
function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const current = [i]
    for (let j = 1; j <= b.length; j++) {
      const change = (previous[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      current.push(Math.min(change, (previous[j] ?? 0) + 1, (current[j - 1] ?? 0) + 1))
    }
    previous = current
  }
  return previous[b.length] ?? 0
}
