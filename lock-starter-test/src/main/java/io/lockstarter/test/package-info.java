/*
 * Copyright 2026 the original author or authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License");
 * you may not use this file except in compliance with the License.
 * You may obtain a copy of the License at
 *
 *      https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 */

/**
 * Support for tests of applications that use locks. Nothing of lock-starter knows this
 * package, which is a jar of its own: it knows the API, the annotation, the engine, and
 * the store in memory, which it puts in the place of Redis or beside it. Begin with
 * {@link io.lockstarter.test.LockTester}.
 */
@NullMarked
package io.lockstarter.test;

import org.jspecify.annotations.NullMarked;
