/** `holdfast run`: one prompt to an agent, streamed (CL1, US). */
import { readFile } from 'node:fs/promises'
import { basename, extname, resolve } from 'node:path'
import { text as readAll } from 'node:stream/consumers'
import { maxPromptChars, type PromptPart } from '../../protocol/turns/prompt.ts'
import { command } from '../command.ts'
import type { CommandContext } from '../context.ts'
import { usage } from '../failure.ts'
import { chooseProject, projectOption } from '../projects/choose-project.ts'
import { runAgent } from './run-agent.ts'

const imageTypes: Readonly<Record<string, string>> = {
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.gif': 'image/gif',
  '.webp': 'image/webp',
}

/** Reads a file attached to a prompt (AG6): an image by its extension, otherwise text. Limited to what the server accepts (SE8). */
export async function readAttachment(path: string): Promise<PromptPart> {
  const name = basename(path)
  const bytes = await readFile(path).catch((error: Error) => {
    throw usage(`${name} cannot be read: ${error.message}`, 'Name a file that is there.')
  })
  const mimeType = imageTypes[extname(name).toLowerCase()]
  const part: PromptPart = mimeType
    ? { type: 'image', mimeType, base64: bytes.toString('base64') }
    : { type: 'file', name, mimeType: 'text/plain', text: textOf(bytes, name) }
  const length = part.type === 'image' ? part.base64.length : bytes.length
  if (length > maxPromptChars)
    throw usage(`${name} is too large to go with a prompt.`, `At most ${maxPromptChars / 1000} kB fit.`)
  return part
}

function textOf(bytes: Buffer, name: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw usage(`${name} is neither text nor a picture.`, 'Pictures end in .png, .jpg, .gif or .webp.')
  }
}

const defaultRole = 'run'

async function start(context: CommandContext): Promise<void> {
  const agentId = context.operand(0)
  const prompt = (await promptOf(context)).trim()
  if (prompt === '') throw usage('There is nothing to say to it.', `Say it: holdfast run ${agentId} "…", or pipe it in.`)
  const { id: projectId } = await chooseProject(context, agentId)
  const role = context.text('role') ?? defaultRole
  const workspace = context.text('workspace')
  const attached = await Promise.all(
    (context.values('attach') ?? []).map((path) => readAttachment(resolve(context.terminal.cwd, path))),
  )
  const { allow, goOn, keep } = { allow: context.flag('allow'), goOn: context.flag('go-on'), keep: context.flag('keep') }
  const [mode, model] = [context.text('mode'), context.text('model')]
  await runAgent(context, { projectId, agentId, role, workspace, prompt, attached, mode, model, allow, goOn, keep })
}

async function promptOf(context: CommandContext): Promise<string> {
  const { stdin } = context.terminal
  const typed = context.optionalOperand(1)
  if (typed !== undefined && typed !== '-') return typed
  return typed === undefined && stdin.isTTY ? '' : readAll(stdin)
}

export const run = command(start)`
  Give an agent one prompt and print what it says as it comes
  <agent>  id of an agent that speaks ACP
  [prompt]  what to say; left out or -, it is read from standard input
  ${projectOption}
  --role <role>  what it is called there; names its branch (${defaultRole})
  --workspace <path>  its folder, below that of the console; named after the role when left out
  --mode <mode>  the mode it works in, of those it offers
  --model <model>  the model it uses, of those it offers
  --attach <file>...  a picture or a text file that goes with the prompt
  --allow  allow, once each, whatever it asks for
  --go-on  at the limit of its vendor, wait until that is over and go on
  --keep  keep the console open afterwards, to attach to it
  $ run demo "Say hello"  ask and print the answer; the exit code tells how it ended
  $ run claude --allow "Fix the failing test" --project website  let it do what it asks for, on a branch of its own
  $ run demo --json < prompt.txt  every event as a line of JSON`
