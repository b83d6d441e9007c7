import { parseSync } from 'rolldown/utils'

type Node = { readonly type: string; readonly [member: string]: unknown }

const CONTAINERS = new Set(['Map', 'Set', 'WeakMap', 'WeakSet', 'Array'])
const MUTATORS = new Set(
  'set add delete clear push unshift pop shift splice sort reverse fill'.split(' '),
)

/** What may keep something from one request to the next. */
const KEEPING = /^src\/platform\/lib\/(?:isolate|turns)\.ts$/

/**
 * What modules create when they are loaded and what can change afterwards, as `path: name`: variables, containers that
 * the module changes, objects of classes that change themselves, and results of functions that keep something in a
 * closure. Follows functions and classes by name through all files.
 */
export function findIsolateState(files: Readonly<Record<string, string>>): string[] {
  const modules = Object.entries(files)
    .filter(([path]) => !KEEPING.test(path))
    .map(([path, text]) => ({
      path,
      body: (parseSync(path, text).program.body as unknown as Node[]).map(declarationOf),
    }))
  const makers = findMakers(modules.flatMap(({ body }) => body))
  return modules.flatMap(({ path, body }) => {
    const changed = changedNames(body)
    return body
      .flatMap((statement) => [...declaratorsOf(statement), ...staticsOf(statement)])
      .filter(
        ({ kind, name, init }) =>
          kind === 'let' ||
          (changed.has(name) && isContainer(init)) ||
          runAtOnce(init).some((node) => makers.has(calledName(node))),
      )
      .map(({ name }) => `${path}: ${name}`)
  })
}

/** A function, or a class, of which fields are what a function keeps. */
type Maker = { readonly name: string; readonly body: Node; readonly isKeeping: boolean }

/** The names of functions and classes whose results change later, themselves or by what they hold. */
function findMakers(statements: readonly Node[]): ReadonlySet<string> {
  const candidates = statements.flatMap((node): Maker[] => {
    const body = node.body as Node
    if (node.type === 'ClassDeclaration') {
      return [{ name: nameOf(node.id), body, isKeeping: changesItself(body) }]
    }
    const functions =
      node.type === 'FunctionDeclaration'
        ? [{ name: nameOf(node.id), init: node }]
        : declaratorsOf(node)
    return functions.flatMap(({ name, init }) =>
      isFunction(init)
        ? [{ name, body: init?.body as Node, isKeeping: keepsInClosure(init?.body as Node) }]
        : [],
    )
  })
  const makers = new Set(candidates.filter((one) => one.isKeeping).map(({ name }) => name))
  for (let size = 0; size < makers.size; ) {
    size = makers.size
    for (const { name, body } of candidates) {
      if (
        heldBy(body)
          .flatMap(runAtOnce)
          .some((node) => makers.has(calledName(node)))
      ) {
        makers.add(name)
      }
    }
  }
  return makers
}

/** The expressions that outlive a call: of fields, of what is returned, and of what functions within refer to. */
function heldBy(body: Node): Node[] {
  if (body.type === 'ClassBody') {
    return (body.body as Node[]).flatMap(({ value, type }) =>
      type === 'PropertyDefinition' && value ? [value as Node] : [],
    )
  }
  if (body.type !== 'BlockStatement') {
    return [body]
  }
  const named = new Set(walk(body).filter(isFunction).flatMap(walk).map(nameOf))
  const own = runAtOnce(body)
  return own.flatMap((node) => [
    ...(node.type === 'ReturnStatement' && node.argument ? [node.argument as Node] : []),
    ...declaratorsOf(node).flatMap(({ name, init }) => (init && named.has(name) ? [init] : [])),
  ])
}

/** Whether a function has a variable or a container that a function within it changes. */
function keepsInClosure(body: Node): boolean {
  const own = runAtOnce(body).flatMap(declaratorsOf)
  const inner = new Set(
    walk(body)
      .filter(isFunction)
      .flatMap((one) => [...changedNames([one.body as Node])]),
  )
  return own.some(
    ({ kind, name, init }) => inner.has(name) && (kind === 'let' || isContainer(init)),
  )
}

function changesItself(classBody: Node): boolean {
  return (classBody.body as Node[])
    .filter(({ type, kind }) => type === 'MethodDefinition' && kind !== 'constructor')
    .some((method) => changedNames([method]).has('this'))
}

/** The names of what is assigned to, or changed by a method, anywhere within; of a member, that of its object. */
function changedNames(nodes: readonly Node[]): ReadonlySet<string> {
  return new Set(
    nodes.flatMap(walk).flatMap((node) => {
      const { type, left, argument, callee } = node as Node & Record<string, Node>
      if (type === 'AssignmentExpression') {
        return [rootName(left)]
      }
      if (type === 'UpdateExpression') {
        return [rootName(argument)]
      }
      const isMutator =
        type === 'CallExpression' &&
        callee?.type === 'MemberExpression' &&
        MUTATORS.has(nameOf(callee.property))
      return isMutator ? [rootName(callee?.object as Node)] : []
    }),
  )
}

function rootName(node: Node | undefined): string {
  return node?.type === 'MemberExpression'
    ? rootName(node.object as Node)
    : node?.type === 'ThisExpression'
      ? 'this'
      : nameOf(node)
}

type Declarator = { kind: string; name: string; init: Node | undefined }

function declaratorsOf(node: Node): Declarator[] {
  return node.type === 'VariableDeclaration'
    ? (node.declarations as Node[]).map(({ id, init }) => ({
        kind: String(node.kind),
        name: nameOf(id),
        init: (init as Node | null) ?? undefined,
      }))
    : []
}

/** Static members of a class, under its name. */
function staticsOf(node: Node): Declarator[] {
  return node.type === 'ClassDeclaration'
    ? ((node.body as Node).body as Node[])
        .filter((member) => member.static && member.type === 'PropertyDefinition')
        .map(({ value }) => ({
          kind: 'const',
          name: nameOf(node.id),
          init: (value as Node | null) ?? undefined,
        }))
    : []
}

function declarationOf(node: Node): Node {
  return (node.declaration as Node | null | undefined) ?? node
}

function calledName({ type, callee }: Node): string {
  const isCall = type === 'CallExpression' || type === 'NewExpression'
  return isCall ? nameOf(callee) : ''
}

function isContainer(node: Node | undefined): boolean {
  return (
    node?.type === 'ArrayExpression' ||
    node?.type === 'ObjectExpression' ||
    (node?.type === 'NewExpression' && CONTAINERS.has(nameOf(node.callee)))
  )
}

function isFunction(node: Node | undefined): boolean {
  return /^(?:Arrow)?Function/.test(node?.type ?? '')
}

function nameOf(node: unknown): string {
  return typeof node === 'object' && node !== null && 'name' in node ? String(node.name) : ''
}

/** A node and all below it. */
function walk(node: Node): Node[] {
  return [node, ...childrenOf(node).flatMap(walk)]
}

/** A node and what below it runs with it, which bodies of functions do not. */
function runAtOnce(node: Node | undefined): Node[] {
  return node === undefined || isFunction(node)
    ? []
    : [node, ...childrenOf(node).flatMap(runAtOnce)]
}

function childrenOf(node: Node): Node[] {
  return Object.values(node)
    .flat()
    .filter(
      (member): member is Node => typeof member === 'object' && member !== null && 'type' in member,
    )
}
