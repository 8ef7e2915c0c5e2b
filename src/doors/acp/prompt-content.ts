/** A prompt of an editor as a message: its text, and what is attached. Pure. */
import type { ContentBlock } from '@agentclientprotocol/sdk/unstable'
import { Content } from '../../protocol/conversations/message.ts'
import { maxShownLine } from '../../protocol/turns/agent-update.ts'
import { Attachments, type PromptPart } from '../../protocol/turns/prompt.ts'
import { codes, failure } from './failures.ts'

interface PromptMessage {
  readonly content: string
  readonly media: readonly PromptPart[] | undefined
}

/** What is attached is named where it stood in the text. */
export function messageOf(prompt: readonly ContentBlock[]): PromptMessage {
  const texts: string[] = []
  const media: PromptPart[] = []
  for (const block of prompt) {
    const part = attachmentIn(block)
    if (part) media.push(part)
    texts.push(part ? nameOf(part) : textIn(block))
  }
  const content = Content.min(1).safeParse(joined(texts))
  if (!content.success)
    throw failure(codes.params, 'The prompt is empty, or longer than 500,000 characters.')
  if (media.length === 0) return { content: content.data, media: undefined }
  const attached = Attachments.safeParse(media)
  if (!attached.success)
    throw failure(
      codes.params,
      'What is attached cannot be taken: pictures, files and links, 50 of them and 700,000 ' +
        'characters in all at most.',
    )
  return { content: content.data, media: attached.data }
}

const textIn = (block: ContentBlock): string => (block.type === 'text' ? block.text : '')

/** Pieces of one text stand beside each other as the editor cut them. */
const joined = (texts: readonly string[]): string => texts.join('').trim()

function attachmentIn(block: ContentBlock): PromptPart | undefined {
  switch (block.type) {
    case 'text':
      return undefined
    case 'image':
      return { type: 'image', mimeType: block.mimeType, base64: block.data }
    case 'resource_link':
      return { type: 'link', name: lineOf(block.name || block.uri), uri: lineOf(block.uri) }
    case 'resource': {
      const { resource } = block
      if (!('text' in resource))
        throw failure(codes.params, 'Files that are no text cannot be attached; attach a link.')
      const { uri, mimeType, text } = resource
      const name = lineOf(fileName(uri))
      return { type: 'file', name, mimeType: mimeType || 'text/plain', text, uri: lineOf(uri) }
    }
    default:
      throw failure(
        codes.params,
        `Holdfast takes no ${String(block.type).slice(0, 20)} in prompts.`,
      )
  }
}

const lineOf = (text: string): string => text.slice(0, maxShownLine)

function fileName(uri: string): string {
  const path = uri.split(/[?#]/, 1)[0] ?? uri
  const last = path.split('/').filter(Boolean).at(-1) ?? uri
  try {
    return decodeURIComponent(last)
  } catch {
    return last
  }
}

const nameOf = (part: PromptPart): string => ('name' in part ? `@${part.name}` : `[${part.type}]`)
