import { parseSync } from 'rolldown/utils'

type Node = { readonly type: string; readonly [member: string]: unknown }

const COLLECTIONS = new Set(['Map', 'Set', 'WeakMap', 'WeakSet'])
const CONTAINERS = new Set([...COLLECTIONS, 'Array'])
/** Functions of the language that make a container. */
const MAKERS_OF_CONTAINERS = /^(?:Array\.(?:from|of)|Object\.(?:create|assign|fromEntries))$/
const MUTATORS = new Set(
  'set add delete clear push unshift pop shift splice sort reverse fill'.split(' '),
)
/** What does not change at run time. */
const TYPE_ONLY =
  /^(?:TS(?:As|Satisfies|NonNull)Expression|TSTypeAssertion|ParenthesizedExpression)$/

/** What may keep something from one request to the next. */
const KEEPING = /^src\/platform\/(?:lib\/isolate|load\/(?:arrivals|capacity|turns))\.ts$/

/**
 * What modules create when they are loaded and what can change afterwards, as `path: name`: variables, collections that
 * are not read-only by type, other containers that the module changes, objects that change themselves, results of
 * functions that keep something in a closure, and members of functions or of the global object. Follows functions and
 * classes by name through all files.
 */
export function findIsolateState(files: Readonly<Record<string, string>>): string[] {
  const modules = Object.entries(files)
    .filter(([path]) => !KEEPING.test(path))
    .map(([path, text]) => ({
      path,
      text,
      body: (parseSync(path, text).program.body as unknown as Node[]).map(declarationOf),
    }))
  const makers = findMakers(modules.flatMap(({ body }) => body))
  return modules.flatMap(({ path, text, body }) => {
    const changed = changedNames(body)
    const isReadonly = ({ start, end }: Node) =>
      /\breadonly\b|\bReadonly/.test(text.slice(Number(start), Number(end)))
    const found = body
      .flatMap((statement) => [...declaratorsOf(statement), ...staticsOf(statement)])
      .filter(
        ({ kind, name, init, type }) =>
          kind !== 'const' ||
          (changed.has(name) && isContainer(init)) ||
          (!isReadonlyDeclared(init, type, isReadonly) && holdsCollection(init, isReadonly)) ||
          runAtOnce(init).some((node) => makers.has(calledName(node)) || keepsItself(node)),
      )
      .map(({ name }) => name)
    const functions = body.filter(({ type }) => /^(?:Function|Class)Declaration$/.test(type))
    const members = [...functions.map(({ id }) => nameOf(id)), 'globalThis', 'self']
    const changedLater = changedNames(body.flatMap(walk).filter(isFunction))
    return [
      ...found,
      ...members.filter((name) => changedLater.has(name) && !found.includes(name)),
    ].map((name) => `${path}: ${name}`)
  })
}

/** Whether it is a collection, or an object or a list around one, that its type allows to change. */
function holdsCollection(given: Node | undefined, isReadonly: (type: Node) => boolean): boolean {
  if (given === undefined || (TYPE_ONLY.test(given.type) && isReadonlyCast(given, isReadonly))) {
    return false
  }
  const node = bare(given)
  const holds = (inner: unknown) => holdsCollection((inner as Node) ?? undefined, isReadonly)
  switch (node?.type) {
    case 'NewExpression':
      return COLLECTIONS.has(nameOf(node.callee))
    case 'ObjectExpression':
      return (node.properties as Node[]).some(({ value }) => holds(value))
    case 'ArrayExpression':
      return (node.elements as Node[]).some(holds)
    case 'LogicalExpression':
      return holds(node.left) || holds(node.right)
    case 'CallExpression': {
      const [made] = node.arguments as Node[]
      const type = made?.returnType as Node | undefined
      return (
        nameOf(node.callee) === 'once' &&
        isFunction(made) &&
        !(type && isReadonly(type)) &&
        resultsOf(made?.body as Node).some(holds)
      )
    }
    default:
      return false
  }
}

/** The members of an object are as read-only as its type says. */
function isReadonlyDeclared(
  init: Node | undefined,
  type: Node | undefined,
  isReadonly: (type: Node) => boolean,
): boolean {
  return type !== undefined && (bare(init)?.type === 'ObjectExpression' || isReadonly(type))
}

function isReadonlyCast(node: Node, isReadonly: (type: Node) => boolean): boolean {
  return node.type === 'TSAsExpression' && isReadonly(node.typeAnnotation as Node)
}

/** What a function returns. */
function resultsOf(body: Node): Node[] {
  return body.type === 'BlockStatement'
    ? runAtOnce(body).flatMap(({ type, argument }) =>
        type === 'ReturnStatement' && argument ? [argument as Node] : [],
      )
    : [body]
}

/** Whether it is a function called where it stands, or an object or a class without a name, that keeps something. */
function keepsItself(node: Node): boolean {
  const callee = bare(node.callee as Node | undefined)
  const isCall = node.type === 'CallExpression' || node.type === 'NewExpression'
  if (isCall && isFunction(callee)) {
    return keepsInClosure(callee?.body as Node)
  }
  if (isCall && callee?.type === 'ClassExpression') {
    return changesItself(callee.body as Node)
  }
  return (
    node.type === 'ObjectExpression' &&
    (node.properties as Node[]).some(
      ({ value }) =>
        (value as Node | undefined)?.type === 'FunctionExpression' &&
        changedNames([value as Node]).has('this'),
    )
  )
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
    ({ kind, name, init }) => inner.has(name) && (kind !== 'const' || isContainer(init)),
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
        return targetsOf(left).map(rootName)
      }
      if (
        type === 'UpdateExpression' ||
        (type === 'UnaryExpression' && node.operator === 'delete')
      ) {
        return [rootName(argument)]
      }
      if (type !== 'CallExpression' || callee?.type !== 'MemberExpression') {
        return []
      }
      const called = methodName(callee)
      const isOfObject = nameOf(callee.object) === 'Object' && /^(?:assign|define)/.test(called)
      return isOfObject
        ? [rootName((node.arguments as Node[])[0])]
        : MUTATORS.has(called)
          ? [rootName(callee.object as Node)]
          : []
    }),
  )
}

/** What an assignment changes: of a pattern, all that it takes apart. */
function targetsOf(left: Node | undefined): Node[] {
  switch (left?.type) {
    case undefined:
      return []
    case 'ArrayPattern':
      return (left.elements as (Node | null)[]).flatMap((one) => targetsOf(one ?? undefined))
    case 'ObjectPattern':
      return (left.properties as Node[]).flatMap(({ value, argument }) =>
        targetsOf((value ?? argument) as Node | undefined),
      )
    default:
      return [left as Node]
  }
}

/** The name of a method, by whichever way it is named. */
function methodName({ property }: Node): string {
  const { value } = property as Node
  return typeof value === 'string' ? value : nameOf(property)
}

function rootName(given: Node | undefined): string {
  const node = bare(given)
  return node?.type === 'MemberExpression'
    ? rootName(node.object as Node)
    : node?.type === 'ThisExpression'
      ? 'this'
      : nameOf(node)
}

/** The expression without what only its type or its reader needs. */
function bare(node: Node | undefined): Node | undefined {
  return node && TYPE_ONLY.test(node.type) ? bare(node.expression as Node) : node
}

type Declarator = { kind: string; name: string; init: Node | undefined; type?: Node | undefined }

function declaratorsOf(node: Node): Declarator[] {
  return node.type === 'VariableDeclaration'
    ? (node.declarations as Node[]).flatMap(({ id, init }) =>
        targetsOf(id as Node).map((target) => ({
          kind: String(node.kind),
          name: nameOf(target),
          init: (init as Node | null) ?? undefined,
          type: ((id as Node).typeAnnotation as Node | null) ?? undefined,
        })),
      )
    : []
}

/** Static members of a class, under its name. */
function staticsOf(node: Node): Declarator[] {
  return node.type === 'ClassDeclaration'
    ? ((node.body as Node).body as Node[])
        .filter((member) => member.static && member.type === 'PropertyDefinition')
        .map(({ value, typeAnnotation }) => ({
          kind: 'const',
          name: nameOf(node.id),
          init: (value as Node | null) ?? undefined,
          type: (typeAnnotation as Node | null) ?? undefined,
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

function isContainer(given: Node | undefined): boolean {
  const node = bare(given)
  const { object, property } = (node?.callee ?? {}) as { object?: Node; property?: Node }
  return (
    node?.type === 'ArrayExpression' ||
    node?.type === 'ObjectExpression' ||
    (node?.type === 'NewExpression' && CONTAINERS.has(nameOf(node.callee))) ||
    MAKERS_OF_CONTAINERS.test(`${nameOf(object)}.${nameOf(property)}`)
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
