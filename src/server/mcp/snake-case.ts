/** Names of this wire (HT1): what services give in camelCase leaves in snake_case. Only the names of a thing's own fields change. */
import * as z from 'zod'

type Snake<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Uppercase<First> ? (First extends Lowercase<First> ? First : `_${Lowercase<First>}`) : First}${Snake<Rest>}`
  : Name

export type SnakeFields<Thing> = { [Name in keyof Thing as Name extends string ? Snake<Name> : never]: Thing[Name] }

const snake = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

export const snakeFields = <Thing extends object>(thing: Thing): SnakeFields<Thing> =>
  Object.fromEntries(Object.entries(thing).map(([name, value]) => [snake(name), value])) as SnakeFields<Thing>

/** The same shape under this wire's names. */
export const snakeShape = <Shape extends z.core.$ZodLooseShape>(schema: z.ZodObject<Shape>): z.ZodObject<SnakeFields<Shape>> =>
  z.object(snakeFields(schema.shape)) as unknown as z.ZodObject<SnakeFields<Shape>>
