/** The example files of the specification, as they stand in its background. */
import { readFileSync } from 'node:fs'

const page = readFileSync(
  new URL('../../docs/spec/background/continuity.md', import.meta.url),
  'utf8',
)

function exampleUnder(title: string): unknown {
  const [, text] = new RegExp(`## ${title}\\n\\n\`\`\`json\\n(.*?)\`\`\``, 's').exec(page) ?? []
  return JSON.parse(text ?? 'null')
}

// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever it expects, and fails when it is not there
type Example = any

export const checkpointExample: Example = exampleUnder('state_checkpoint.json')
export const approachesExample: Example = exampleUnder('approaches.json')
