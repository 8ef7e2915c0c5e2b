/** A part of a prompt as ACP has it, in a form that the agent takes. */
import type { ContentBlock } from '@agentclientprotocol/sdk'
import { statusNotice } from '../../protocol/status-texts.ts'
import type { AgentAbilities } from '../../protocol/turns/agent-update.ts'
import type { PromptPart } from '../../protocol/turns/prompt.ts'
import { AcpFailure } from './failure.ts'

/** Files become text for agents that do not accept them. */
export function blockOf(part: PromptPart, { images, embeddedFiles }: AgentAbilities): ContentBlock {
  switch (part.type) {
    case 'text':
      return { type: 'text', text: part.text }
    case 'image':
      if (!images) throw new AcpFailure('not_accepted', statusNotice('noPictures'))
      return { type: 'image', mimeType: part.mimeType, data: part.base64 }
    case 'file': {
      const { name, mimeType, text, uri = `attachment:///${encodeURIComponent(name)}` } = part
      if (!embeddedFiles) return { type: 'text', text: `The file ${name}:\n\n${text}` }
      return { type: 'resource', resource: { uri, mimeType, text } }
    }
    case 'link':
      return { type: 'resource_link', name: part.name, uri: part.uri }
  }
}
