package io.lockstarter.interceptor;

import io.lockstarter.LockOptions;

/**
 * What an annotation says of one method.
 *
 * @param key what to lock
 * @param options how to lock it
 */
record LockSpec(KeyExpression key, LockOptions options) {

}
