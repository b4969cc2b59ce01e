"""Products of matrices by oneDNN: they are torch's own."""

import pytest
import torch
from torch.nn import functional

from puzzlemill.difficulty.policies import matmul

pytestmark = pytest.mark.skipif(not torch._C._has_mkldnn, reason="this torch has no oneDNN")


@pytest.fixture(autouse=True)
def known(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever processor this is: elsewhere it is only slower."""
    monkeypatch.setattr(matmul, "AVAILABLE", True)


@pytest.mark.parametrize("rows", [(1,), (5, 7), (256,), (2, 256), (3, 111)])
@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("shape", [(24, 8), (8, 24)])
def test_a_product_and_its_gradients_are_torchs_own(
    rows: tuple[int, ...], bias: bool, shape: tuple[int, int]
) -> None:
    torch.manual_seed(1)
    out, into = shape
    given = [torch.randn(*rows, into), torch.randn(out, into)] + [torch.randn(out)] * bias
    weigh = torch.randn(*rows, out)
    found = []
    for call in (matmul.linear, functional.linear):
        some = [each.clone().requires_grad_(True) for each in given]
        made = call(*some)
        (made * weigh).sum().backward()
        found.append((made.detach(), *(each.grad for each in some)))
    for ours, torchs in zip(*found, strict=True):
        torch.testing.assert_close(ours, torchs, atol=1e-4, rtol=1e-4)


def test_a_weight_that_is_not_trained_has_no_gradient_and_passes_one_on() -> None:
    layer = matmul.Linear(6, 4)
    layer.requires_grad_(False)
    x = torch.randn(300, 6, requires_grad=True)
    layer(x).sum().backward()
    assert x.grad is not None
    torch.testing.assert_close(x.grad, layer.weight.sum(0).expand(300, -1))
    assert layer.weight.grad is None


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float64])
def test_numbers_of_another_size_are_left_to_torch(dtype: torch.dtype) -> None:
    layer = matmul.Linear(6, 4).to(dtype)
    assert layer(torch.randn(300, 6, dtype=dtype)).dtype == dtype


def test_no_rows_give_no_rows() -> None:
    assert matmul.Linear(6, 4)(torch.zeros(0, 6)).shape == (0, 4)
