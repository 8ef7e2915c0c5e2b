/** Reads messages from standard input, one a line, without empty lines. */
import { StringDecoder } from 'node:string_decoder'
import { failed } from './failure.ts'

export async function* inputLines(
  input: AsyncIterable<unknown>,
  maxLine: number,
): AsyncGenerator<string> {
  const decoder = new StringDecoder('utf8')
  let rest = ''
  for await (const bytes of input) {
    const lines = (rest + decoder.write(bytes as Buffer)).split('\n')
    rest = lines.pop() ?? ''
    if (rest.length > maxLine)
      throw failed('A line of standard input is too long.', 'Send one message a line.')
    for (const line of lines) if (line.trim() !== '') yield line
  }
}
