/** What a person gives to an agent, in the words of ACP. What the agent does not take as it is, is put into words where that is possible. */
import type { ContentBlock } from '@agentclientprotocol/sdk'
import { statusText } from '../../protocol/sentences.ts'
import type { PromptPart } from '../../protocol/turns/prompt.ts'
import { AcpFailure } from './failure.ts'
import type { AgentFacts } from './opening.ts'

export const contentOf = (parts: readonly PromptPart[], facts: AgentFacts): ContentBlock[] =>
  parts.map((part) => blockOf(part, facts))

function blockOf(part: PromptPart, { images, embeddedFiles }: AgentFacts): ContentBlock {
  switch (part.type) {
    case 'text':
      return { type: 'text', text: part.text }
    case 'image':
      if (!images) throw new AcpFailure('not_accepted', statusText('noPictures'))
      return { type: 'image', mimeType: part.mimeType, data: part.base64 }
    case 'file': {
      const { name, mimeType, text } = part
      if (!embeddedFiles) return { type: 'text', text: `The file ${name}:\n\n${text}` }
      return { type: 'resource', resource: { uri: `attachment:///${encodeURIComponent(name)}`, mimeType, text } }
    }
    case 'link':
      return { type: 'resource_link', name: part.name, uri: part.uri }
  }
}
