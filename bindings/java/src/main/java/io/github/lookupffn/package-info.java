/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Transformer encoders on CPUs: embeddings, rerankers, classifiers and masked language models, dense or with LookupFFN
 * layers, which hash each token and add up a few rows of learned tables.
 *
 * <p>{@link io.github.lookupffn.Model} is where to start:
 *
 * <pre>{@code
 * try (Model model = Model.load(Path.of("my-model"))) {
 *   float[] vector = model.embed("A sentence.");
 * }
 * }</pre>
 *
 * <p>{@link io.github.lookupffn.Layer} runs a single layer:
 *
 * <pre>{@code
 * try (Layer layer = Layer.load(Path.of("layer.safetensors"))) {
 *   float[] y = new float[nTokens * layer.outputSize()];
 *   layer.forward(x, nTokens, y);
 * }
 * }</pre>
 *
 * <p>No argument, no element of an argument and no result is null, unless its description says so. A null argument
 * throws a {@link NullPointerException} that names it.
 *
 * <p>An invalid argument is an {@link IllegalArgumentException}, a closed model or layer an {@link
 * IllegalStateException}; what else can go wrong is a subclass of {@link io.github.lookupffn.LookupFfnException}.
 */
@NullMarked
package io.github.lookupffn;

import org.jspecify.annotations.NullMarked;
