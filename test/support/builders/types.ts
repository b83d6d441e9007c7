export type TestPerson = { id: number; login: string; key: string; password?: string }

export type TestGroup = { id: number; name: string }

export type TestProduct = { id: number; name: string; component: string; version: string }

export type TestBug = { id: number; summary: string; reporter: TestPerson; assignee: TestPerson }

export type TestFlagType = { id: number; name: string }
