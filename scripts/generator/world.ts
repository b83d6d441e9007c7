import { createRandom, type Random } from './random.ts'
import { drawRealName } from './texts.ts'

/** How many bugs of the constant product are in `CONSTANT_STATUS`, at every size. */
export const CONSTANT_BUGS = 40
export const CONSTANT_COMPONENT = 'Engine'
export const CONSTANT_STATUS = 'IN_PROGRESS'

/** People have indexes from 0: insiders first, then the other developers, then everybody else. */
type Person = { login: string; realName: string; nick: string | null }

type Component = { name: string; assignee: number; qaContact: number | null }

/** `firstComponent` is the index of its first component among those of all products. */
type Product = {
  name: string
  hasUnconfirmed: boolean
  firstComponent: number
  components: Component[]
}

/** How large a tracker is. */
export type Shape = {
  bugs: number
  seed: number
  products: number
  people: number
  /** Unix seconds of the first bug. */
  start: number
  /** Whether texts and discussions are as long and varied as in large trackers; short ones are soon inserted. */
  isRealistic: boolean
}

/** Everything that exists before the first bug. The product with index 0 is the constant one. */
export type World = Omit<Shape, 'people' | 'products'> & {
  /** The present in Unix seconds: nothing happens after it. */
  end: number
  people: Person[]
  developers: number
  insiders: number
  products: Product[]
  keywords: string[]
  /** The name of the only flag type. */
  flagType: string
}

export const SECONDS_PER_BUG = 1000
export const VERSIONS = ['unspecified', '1.0', '1.1', '2.0']
export const MILESTONES = ['---', 'M1', 'M2', 'Future']

const PRODUCTS = ['Browser', 'Mail', 'Calendar', 'Server', 'Toolkit', 'Website', 'Mobile', 'Editor']
const COMPONENTS = ['General', 'Interface', 'Network', 'Storage', 'Security', 'Documentation']
const KEYWORDS = ['crash', 'regression', 'perf', 'access', 'intl', 'polish', 'testcase', 'meta']

/** Draws the people, products and keywords of a tracker; the same shape gives the same world. */
export function buildWorld(shape: Shape): World {
  const { seed, bugs, isRealistic, start, people, products } = shape
  const draw = createRandom(seed, 0)
  const developers = Math.ceil(people / 5)
  return {
    ...{ seed, bugs, isRealistic, start, end: start + bugs * SECONDS_PER_BUG },
    people: Array.from({ length: people }, (_, n) => drawPerson(draw, seed, n, n < developers)),
    ...{ developers, insiders: Math.ceil(developers / 3) },
    products: drawProducts(draw, seed, products, developers),
    keywords: KEYWORDS.map((name) => `${name}-s${seed}`),
    flagType: `needinfo-s${seed}`,
  }
}

/** The name of the product of the constant bugs. */
export function nameConstantProduct(seed: number): string {
  return `Constant ${seed}`
}

/** The number of the constant bug at `index`, or undefined for any other bug. */
export function findConstantNumber(world: World, index: number): number | undefined {
  // One step more than there are constant bugs keeps them away from the newest bugs of every size.
  const steps = CONSTANT_BUGS + 1
  const number = Math.ceil((index * steps) / world.bugs)
  const isThere = number < CONSTANT_BUGS && Math.floor((number * world.bugs) / steps) === index
  return isThere ? number : undefined
}

function drawPerson(draw: Random, seed: number, n: number, hasNick: boolean): Person {
  const nick = hasNick ? `p${n}s${seed}` : null
  const name = drawRealName(draw)
  return {
    login: `p${n}.s${seed}@example.test`,
    realName: nick === null ? name : `${name} [:${nick}]`,
    nick,
  }
}

function drawProducts(draw: Random, seed: number, count: number, developers: number): Product[] {
  const names = Array.from({ length: count }, (_, n) => {
    const round = Math.floor(n / PRODUCTS.length)
    const name = PRODUCTS[n % PRODUCTS.length]
    return round === 0 ? `${name} s${seed}` : `${name} ${round + 1} s${seed}`
  })
  const products: Product[] = []
  let firstComponent = 0
  for (const [n, name] of [nameConstantProduct(seed), ...names].entries()) {
    const extra = COMPONENTS.slice(0, (n === 0 ? 1 : 2) + draw.below(5))
    const componentNames = n === 0 ? [CONSTANT_COMPONENT, ...extra] : extra
    products.push({
      name,
      hasUnconfirmed: n === 0 || draw.chance(0.8),
      firstComponent,
      components: componentNames.map((component) => ({
        name: component,
        assignee: draw.below(developers),
        qaContact: draw.chance(0.3) ? draw.below(developers) : null,
      })),
    })
    firstComponent += componentNames.length
  }
  return products
}
