package io.ringmaster.worker.script.torch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.ringmaster.worker.script.ScriptResult;
import io.ringmaster.worker.script.ScriptResult.Outcome;
import io.ringmaster.worker.source.Diagnostic;
import io.ringmaster.worker.source.DiagnosticException;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Wrong dimensions, types and indices: which exception, with which message, at which place. */
class TorchMistakesTest {

  /** Lines of {@link Torch#TENSORS}. */
  private static final int BEFORE = (int) Torch.TENSORS.lines().count();

  static Stream<Arguments> mistakes() {
    return Torch.table("mistakes.txt");
  }

  @ParameterizedTest
  @MethodSource("mistakes")
  void aMistakeIsNamedWithItsPlace(String expression, String message) {
    ScriptResult result = Torch.run("\n\nr = (" + expression + ")\n");
    assertThat(result.outcome()).isEqualTo(Outcome.RAISED);
    assertThat(result.message()).isEqualTo(message);
    assertThat(result.exception().orElseThrow().span().line()).isEqualTo(BEFORE + 3);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '§',
      textBlock =
          """
          r = i.sum() + a.topk(9).values | 15
          r = a[2]                       | 5
          r = F.relu(a) @ a              | 5
          r = torch.cat([a, i])          | 5
          """)
  void theColumnIsThatOfTheOperation(String statement, int column) {
    ScriptResult result = Torch.run(statement + "\n");
    assertThat(result.exception().orElseThrow().span().line()).isEqualTo(BEFORE + 1);
    assertThat(result.exception().orElseThrow().span().column()).isEqualTo(column);
  }

  /** What is missing is refused by name, with the nearest known name or with what to do. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '§',
      textBlock =
          """
          torch.from_numpy(a)     | module 'torch' has no attribute 'from_numpy'           | there is no numpy; make tensors with torch.tensor, torch.arange or torch.randn
          torch.save(a, 'f')      | module 'torch' has no attribute 'save'                 | scripts have no files; make the tensors in the script, or upload .npy files
          torch.distributed.init_process_group() | module 'torch' has no attribute 'distributed' | ranks are those of the program's dispatches
          torch.topkk(a, 1)       | module 'torch' has no attribute 'topkk'                | did you mean 'topk'?
          torch.nn.Conv2d(1, 1, 1) | module 'torch.nn' has no attribute 'Conv2d'            | write it in the forward() of a class that derives from torch.nn.Module
          F.softmx(a)             | module 'torch.nn.functional' has no attribute 'softmx' | did you mean 'softmax'?
          torch.linalg.nrm(a)     | module 'torch.linalg' has no attribute 'nrm'           | did you mean 'norm'?
          torch.cuda.Stream()     | module 'torch.cuda' has no attribute 'Stream'          | known: device_count, empty_cache, is_available, manual_seed, manual_seed_all, synchronize
          torch.npu.set_device(0) | module 'torch.npu' has no attribute 'set_device'       | known: device_count, empty_cache, is_available, manual_seed, manual_seed_all, synchronize
          a.topkk(1)              | 'Tensor' object has no attribute 'topkk'               | did you mean 'topk'?
          a.numpy()               | Tensor.numpy() is not available in scripts             | there is no numpy; compare tensors with torch.allclose or torch.testing.assert_close, or use .tolist()
          a.cuda()                | Tensor.cuda() is not available in scripts              | tensors of a script live on the CPU; pass them to the compiled program, it moves them
          a.npu()                 | Tensor.npu() is not available in scripts               | tensors of a script live on the CPU; pass them to the compiled program, it moves them
          a.data_ptr()            | Tensor.data_ptr() is not available in scripts          | tensors have no address that a script could use; compare values
          a.sum().backward()      | Tensor.backward() is not available in scripts          | there are no gradients; leave it out
          a.to('npu:0')           | to('npu:0') is not available: tensors of a script live on the CPU | pass host tensors to the compiled program; it moves them
          torch.device('npu')     | torch.device('npu') is not available in scripts        | tensors of a script live on the CPU
          torch.set_default_dtype(torch.float64) | set_default_dtype(torch.float64) is not available | the default stays float32; pass dtype= where a tensor is made
          F.dropout(a)            | dropout(training=True) is not available: a golden must not be random | pass training=False, or leave the call out
          a.topk(1, larges=True)  | topk() got an unexpected keyword argument 'larges'     | did you mean 'largest'?
          torch.zeros(2).norm(p='nuc') | norm(p='nuc') is not available                    | known: 'fro' and numbers
          """)
  void whatIsMissingIsRefusedByName(String expression, String message, String hint) {
    DiagnosticException refused =
        catchThrowableOfType(DiagnosticException.class, () -> Torch.run("r = " + expression));
    Diagnostic diagnostic = refused.diagnostics().getFirst();
    assertThat(diagnostic.message()).isEqualTo(message);
    assertThat(diagnostic.hint()).isEqualTo(hint);
    assertThat(diagnostic.span().line()).isEqualTo(BEFORE + 1);
  }

  /** Sizes that nobody can compute with end at a limit, not in the worker's memory. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "torch.zeros(1 << 40)",
        "a.repeat(1 << 20, 1 << 20)",
        "torch.eye(1 << 30)",
        "torch.arange(1 << 45)",
        "torch.ones(1 << 20).outer(torch.ones(1 << 20))",
        "torch.einsum('i,j->ij', torch.ones(1 << 20), torch.ones(1 << 20))",
        "i.abs().repeat_interleave(1 << 40)",
        "F.pad(a, (0, 1 << 45))",
        "F.one_hot(i.abs(), 1 << 45)",
        "torch.kron(torch.ones(1 << 20), torch.ones(1 << 20))",
        "torch.cdist(torch.ones(1 << 20, 1), torch.ones(1 << 20, 1))",
        "torch.bincount(i.abs() * (1 << 45))",
        "torch.logspace(0, 1, 1 << 45)",
        "torch.tril_indices(1 << 20, 1 << 20)",
        "torch.ones(1).expand(1 << 40).split(1)",
        "torch.ones(1).expand(1 << 40).tensor_split(1 << 39)",
        "torch.cartesian_prod(torch.ones(1 << 20), torch.ones(1 << 20))",
        "torch.ones(1, 1).expand(1 << 30, 1 << 30).clone()",
        "torch.ones(1, 1).expand(1 << 30, 1 << 30).sum()",
        "torch.ones(1).expand(1 << 40).unbind()",
        "torch.ones(1).expand(1 << 40).tolist()",
      })
  void aHugeResultIsRefused(String expression) {
    ScriptResult result = Torch.run("r = " + expression + "\n");
    assertThat(result.outcome()).as(result.message()).isIn(Outcome.LIMIT_EXCEEDED, Outcome.RAISED);
    assertThat(result.message()).containsAnyOf("limit", "dimension", "size", "elements", "large");
  }
}
