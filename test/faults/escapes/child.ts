/**
 * Runs all attempts in one mode as the user it is started as, and prints the result as a line of
 * JSON. A process of its own, because the attempts are made as root and as an ordinary user.
 */
import { attempts, escapedIn, harmlessOutside, scriptOf } from './attempts.ts'
import { exhaust, exhaustions } from './exhaustion.ts'
import { makeScene, runInScene } from './scene.ts'

const mode = process.argv[2] as 'off' | 'workplace' | 'strict'
const only = process.argv[3] ?? ''
const chosen = (mode === 'off' ? harmlessOutside : attempts).filter(({ name }) =>
  name.includes(only),
)
if (process.argv[2] === 'limits') {
  const ended = []
  for (const each of exhaustions) {
    const { said, left } = await exhaust(each)
    ended.push({ name: each.name, said, isRight: each.words.test(said), left })
  }
  console.log(JSON.stringify(ended))
  process.exit()
}
const scene = await makeScene()
try {
  const { left } = await runInScene(scene, mode, scriptOf(scene, chosen))
  // Longer than the attempt to outlive the end.
  if (only === '') await new Promise((resolve) => setTimeout(resolve, 3500))
  const escaped = escapedIn(scene, chosen)
  const missing = chosen
    .filter(({ control, name }) => control && !escaped.includes(name))
    .map(({ name }) => name)
  console.log(JSON.stringify({ mode, attempts: chosen.length, escaped, missing, left }))
} finally {
  await scene.close()
}
